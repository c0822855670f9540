import { describe, expect, test } from "bun:test"
import { decide, decode, encodingOf } from "../../../src/crawl/page/Encoding.ts"
import { readPage } from "../../../src/crawl/page/Page.ts"

const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "latin1"))
const pad = (length: number) => `<!--${"x".repeat(length)}-->`

describe("the order of the sources of an encoding", () => {
  const meta = "<meta charset=koi8-r>"
  const mark = "\xEF\xBB\xBF"

  test("a byte order mark takes precedence over everything", () => {
    expect(decide(bytes(mark + meta), "shift_jis")).toEqual({ name: "utf-8", source: "bom" })
    expect(decide(bytes(`\xFE\xFF${meta}`), null)).toEqual({ name: "utf-16be", source: "bom" })
    expect(decide(bytes(`\xFF\xFE${meta}`), null)).toEqual({ name: "utf-16le", source: "bom" })
  })

  test("the header takes precedence over the document", () => {
    expect(decide(bytes(meta), " Shift_JIS ")).toEqual({ name: "shift_jis", source: "header" })
  })

  test("a header with an unknown encoding is ignored", () => {
    expect(decide(bytes(meta), "utf8mb4")).toEqual({ name: "koi8-r", source: "prescan" })
  })

  test("the first 1,024 bytes are scanned", () => {
    expect(decide(bytes(pad(900) + meta), null)).toEqual({ name: "koi8-r", source: "prescan" })
  })

  test("a meta element beyond 1,024 bytes is found by the parser", () => {
    expect(decide(bytes(pad(1100) + meta), null)).toEqual({ name: "koi8-r", source: "meta" })
    const pragma = `${pad(1100)}<body><p><meta http-equiv=Content-Type content="text/html; charset=koi8-r">`
    expect(decide(bytes(pragma), null)).toEqual({ name: "koi8-r", source: "meta" })
  })

  test("a meta element within a script or a title beyond 1,024 bytes declares nothing", () => {
    for (const text of [`<script>"${meta}"</script>`, `<title>${meta}</title>`, `<svg><style>${meta}</style></svg>`]) {
      expect(decide(bytes(pad(1100) + text), null).name).toBe(text.startsWith("<svg>") ? "koi8-r" : "windows-1252")
    }
  })

  test("the parser corrects a false match of the byte scan", () => {
    const text = `<script>var a = "<meta charset=koi8-r>"</script>${pad(1100)}<meta charset=utf-8>`
    expect(decide(bytes(text), null)).toEqual({ name: "utf-8", source: "meta" })
  })

  test("a document without a declaration is windows-1252", () => {
    expect(decide(bytes("<p>caf\xE9"), null)).toEqual({ name: "windows-1252", source: "fallback" })
    expect(decide(new Uint8Array(), null)).toEqual({ name: "windows-1252", source: "fallback" })
  })

  test("an XML declaration counts if no meta element declares an encoding", () => {
    expect(decide(bytes('<?xml version="1.0" encoding="koi8-r"?><html>'), null).name).toBe("koi8-r")
    expect(decide(bytes('<?xml version="1.0" encoding="koi8-r"?><meta charset=utf-8>'), null).name).toBe("utf-8")
  })

  test("a document cannot declare itself UTF-16 or user-defined", () => {
    expect(decide(bytes("<meta charset=utf-16>"), null).name).toBe("utf-8")
    expect(decide(bytes(`${pad(1100)}<meta charset=utf-16le>`), null).name).toBe("utf-8")
    expect(decide(bytes("<meta charset=x-user-defined>"), null).name).toBe("windows-1252")
  })
})

describe("labels", () => {
  /** One label for each encoding of the Encoding standard: the runtime must know them all. */
  const labels = {
    "unicode-1-1-utf-8": "utf-8",
    866: "ibm866",
    latin2: "iso-8859-2",
    latin3: "iso-8859-3",
    latin4: "iso-8859-4",
    cyrillic: "iso-8859-5",
    arabic: "iso-8859-6",
    greek: "iso-8859-7",
    hebrew: "iso-8859-8",
    logical: "iso-8859-8-i",
    latin6: "iso-8859-10",
    "iso8859-13": "iso-8859-13",
    "iso8859-14": "iso-8859-14",
    "iso8859-15": "iso-8859-15",
    "iso-8859-16": "iso-8859-16",
    koi8: "koi8-r",
    "koi8-ru": "koi8-u",
    macintosh: "macintosh",
    "tis-620": "windows-874",
    cp1250: "windows-1250",
    cp1251: "windows-1251",
    latin1: "windows-1252",
    cp1253: "windows-1253",
    latin5: "windows-1254",
    cp1255: "windows-1255",
    cp1256: "windows-1256",
    cp1257: "windows-1257",
    cp1258: "windows-1258",
    "x-mac-ukrainian": "x-mac-cyrillic",
    gb2312: "gbk",
    gb18030: "gb18030",
    "big5-hkscs": "big5",
    "x-euc-jp": "euc-jp",
    csiso2022jp: "iso-2022-jp",
    sjis: "shift_jis",
    korean: "euc-kr",
    "iso-2022-kr": "replacement",
    unicodefffe: "utf-16be",
    unicode: "utf-16le",
    "x-user-defined": "x-user-defined"
  }

  test("are known for every encoding of the standard", () => {
    expect(
      Object.fromEntries(Object.keys(labels).map((label) => [label, encodingOf(` ${label.toUpperCase()}\n`)]))
    ).toEqual(labels)
  })

  test("have no encoding if they are unknown", () => {
    expect(["", "utf 8", "utf-8x", "none"].map(encodingOf)).toEqual([null, null, null, null])
  })

  test("decode to one replacement character if their encoding is unsafe", () => {
    expect([decode(bytes("<p>x"), "replacement"), decode(new Uint8Array(), "replacement")]).toEqual(["\uFFFD", ""])
  })
})

describe("the text of a page", () => {
  const titleIn = (charset: string, title: ReadonlyArray<number>) =>
    readPage({
      url: "https://a.example/",
      bytes: Uint8Array.of(...bytes(`<meta charset=${charset}><title>`), ...title),
      charset: null
    }).title

  test("is decoded correctly in the encodings that sites still use", () => {
    expect(titleIn("windows-1251", [0xcf, 0xf0, 0xe8])).toBe("При")
    expect(titleIn("windows-1250", [0x8a, 0xe8])).toBe("Šč")
    expect(titleIn("shift_jis", [0x93, 0xfa, 0x96, 0x7b])).toBe("日本")
    expect(titleIn("euc-kr", [0xc7, 0xd1])).toBe("한")
    expect(titleIn("gb2312", [0xd6, 0xd0])).toBe("中")
    expect(titleIn("big5", [0xa4, 0xa4])).toBe("中")
    expect(titleIn("iso-8859-1", [0x80, 0xe9])).toBe("€é")
    expect(titleIn("utf-8", [0xc3, 0xa9, 0xff])).toBe("é\uFFFD")
  })
})
