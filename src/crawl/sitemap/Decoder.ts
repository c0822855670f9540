import { encodingOf, newDecoder } from "../page/Labels.ts"

const marks: ReadonlyArray<readonly [ReadonlyArray<number>, string]> = [
  [[0xfe, 0xff], "utf-16be"],
  [[0xff, 0xfe], "utf-16le"],
  [[0x00, 0x3c], "utf-16be"],
  [[0x3c, 0x00], "utf-16le"]
]

const ascii = new TextDecoder("latin1")

/** The encoding by the first bytes: a byte order mark, the XML declaration, or the UTF-8 that sitemaps.org requires. */
const encodingOfStart = (bytes: Uint8Array): string => {
  const mark = marks.find(([start]) => start.every((byte, index) => bytes[index] === byte))
  if (mark !== undefined) return mark[1]
  const declared = /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(ascii.decode(bytes.subarray(0, 256)))
  const named = declared === null ? null : encodingOf(declared[1] ?? "")
  return named === null || named === "replacement" || named.startsWith("utf-16") ? "utf-8" : named
}

/** A decoder for the file that begins with these bytes. */
export const decoderFor = (start: Uint8Array): TextDecoder => newDecoder(encodingOfStart(start))
