import { describe, expect, spyOn, test } from "bun:test"
import * as fc from "fast-check"
import { srcset } from "../../../src/crawl/page/Images.ts"
import { jsonError } from "../../../src/crawl/page/JsonLd.ts"
import { refresh } from "../../../src/crawl/page/Links.ts"
import { collapse, eachWord, keep, strip } from "../../../src/crawl/page/Text.ts"
import { hammingDistance, sequenceHash, simhash, wordHash } from "../../../src/crawl/page/Texts.ts"
import { identity, plainBase, resolve } from "../../../src/crawl/page/UrlIdentity.ts"

const base = "https://site.example/dir/page"

describe("kept strings", () => {
  test("equal the start of their source, up to their length, and never end in half a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat({ max: 20 }), (text, max) => {
        const kept = keep(text, max)
        expect(text.startsWith(kept)).toBe(true)
        expect(kept.isWellFormed()).toBe(true)
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(text.length, max) - 1)
        expect(kept.length).toBeLessThanOrEqual(max)
      })
    )
    expect([keep("a😀b", 2), keep("a😀b", 3), keep("\uFEFFa", 9)]).toEqual(["a", "a😀", "\uFEFFa"])
  })

  test("lose ASCII whitespace only", () => {
    expect([strip("\n\u00a0a \t"), collapse(" a \n\f b\u00a0 ")]).toEqual(["\u00a0a", "a b\u00a0"])
  })

  test("are trimmed by reading their ends only", () => {
    const charAt = spyOn(String.prototype, "charAt")
    expect(strip(` a${" ".repeat(500_000)}b `).length).toBe(500_002)
    expect(charAt.mock.calls.length).toBeLessThan(10)
    charAt.mockRestore()
  })
})

describe("the normalized form of a URL", () => {
  const of = (href: string) => identity(new URL(href, base))

  test("drops the fragment, upper-cases escapes, and keeps everything else", () => {
    expect(of("http://WWW.Example.com:80/a%2fb/?z=1&a=%c3%a4#x%2f")).toBe("http://www.example.com/a%2Fb/?z=1&a=%C3%A4")
    expect(of("https://example.com/a//b/c")).toBe("https://example.com/a//b/c")
    expect([of("/a"), of("/a/"), of("/a?"), of("#")]).toEqual([
      "https://site.example/a",
      "https://site.example/a/",
      "https://site.example/a?",
      base
    ])
  })

  test("unescapes unreserved characters, and adds no escape", () => {
    const path = (written: string) => of(`/${written}`).slice("https://site.example/".length)
    expect(["%7Euser", "~user", "%41%2d%5f%2E%30"].map(path)).toEqual(["~user", "~user", "A-_.0"])
    expect(["%2541", "%%341", "%4%31", "a%2Fb", "?q=%7e%26"].map(path)).toEqual([
      "%2541",
      "%%341",
      "%4%31",
      "a%2Fb",
      "?q=~%26"
    ])
  })

  test("is its own normalized form", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl({ withFragments: true, withQueryParameters: true }),
          fc.stringMatching(/^\/[%0-9a-f~]{0,12}$/)
        ),
        (href) => {
          const once = of(href)
          expect(identity(new URL(once))).toBe(once)
        }
      )
    )
  })

  test("exists for every string, or there is a reason why not", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (reference) => {
        const target = resolve(reference, plainBase(base))
        return target.followable ? /^https?:/.test(target.url) : target.reason.length > 0
      })
    )
  })
})

describe("the target of a refresh", () => {
  const target = (raw: string) => refresh(raw, plainBase(base), base)
  const leads = (raw: string) => target(raw)?.url ?? null

  test("is found by the steps of the standard", () => {
    const next = "https://site.example/dir/next"
    for (const raw of [
      "1;url=next",
      " 1 ; URL = next",
      "1,url=next",
      "1 url=next",
      "1;next",
      "1;url='next'x",
      '1;"next"x',
      "1.9;url=next",
      ".5;url=next",
      "1;url=next "
    ]) {
      expect([raw, leads(raw)]).toEqual([raw, next])
    }
    expect([leads("1"), leads("1;"), leads(" 1 ")]).toEqual([base, base, base])
    expect([leads("1;url"), leads("1;ur=next"), leads("1;u")]).toEqual([
      "https://site.example/dir/url",
      "https://site.example/dir/ur=next",
      "https://site.example/dir/u"
    ])
  })

  test("is absent without a time, after other characters, and for a script", () => {
    expect(
      ["", ";url=next", "url=next", "x1", "1x;url=next", "-1;url=next", "1;url=javascript:0", "1;url=http://["].map(
        target
      )
    ).toEqual(Array(8).fill(null))
  })

  test("has a delay in whole seconds, and is a URL that can be fetched", () => {
    expect([target("07.9;url=/")?.delay, target(".9")?.delay]).toEqual([7, 0])
    expect(target("0;url=mailto:a@b.c")).toMatchObject({ url: null })
  })

  test("is searched in the first 4,096 characters of a value of any length", () => {
    expect(target(`${"1".repeat(4096)}x`)).toEqual(target("1".repeat(1_000_000)))
  })
})

describe("a srcset", () => {
  test("is split as the standard defines", () => {
    expect(srcset(" a.png 1x, b.png 100w 50h ,c.png", 9)).toEqual(["a.png", "b.png", "c.png"])
    expect(srcset("a,b.png 2x,,d.png,", 9)).toEqual(["a,b.png", "d.png"])
    expect(srcset("data:,x 1x, e.png", 9)).toEqual(["data:,x", "e.png"])
  })

  test("loses candidates with unknown descriptors, and candidates beyond the limit", () => {
    expect(srcset("a 1q, b 1x, c (x,y) 1x, d", 9)).toEqual(["b", "d"])
    expect(srcset("a, b, c, ", 2)).toEqual(["a", "b"])
    expect(srcset(" , ", 9)).toEqual([])
  })
})

describe("the position of a JSON syntax error", () => {
  const parses = (text: string): boolean => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }
  const damaged = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom("", "{", "}", "[", "]", ",", ":", '"', "\\", "\n", "1", "-", "e", "tru", "\u0001", "\u00a0")
    )
    .map(([json, at, insert]) => {
      const cut = at % (json.length + 1)
      return json.slice(0, cut) + insert + json.slice(cut + (at % 2))
    })

  test("exists exactly for texts that do not parse", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), damaged, fc.string()), (text) => {
        expect([text, jsonError(text) === null]).toEqual([text, parses(text)])
      }),
      { numRuns: 3000 }
    )
  })

  test("has an offset and the expected token", () => {
    expect(jsonError('{"a":1,}')).toEqual({ offset: 7, expected: "a quoted key" })
    expect(jsonError('{"a" 1}')).toEqual({ offset: 5, expected: "a colon" })
    expect(jsonError("[1 2]")).toEqual({ offset: 3, expected: "a comma or ]" })
    expect(jsonError("<!-- {} -->")).toEqual({ offset: 0, expected: "a value" })
    expect(jsonError("{} {}")).toEqual({ offset: 3, expected: "the end" })
    expect(jsonError("[".repeat(500_000))?.offset).toBe(500_000)
  })
})

describe("words and fingerprints", () => {
  const text = (count: number, seed: number) =>
    Array.from({ length: count }, (_, index) => wordHash(`word${(index * seed) % 991}`))

  const words = (text: string): ReadonlyArray<string> => {
    const found: Array<string> = []
    eachWord(text, (from, to) => found.push(text.slice(from, to)))
    return found
  }

  test("words are the same with ASCII and non-ASCII letters", () => {
    const unspaced =
      "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}]"
    const letters = (all: string) => `[[${all}]--${unspaced}]`
    const pattern = new RegExp(`${unspaced}|${letters("\\p{L}\\p{N}")}${letters("\\p{L}\\p{N}\\p{M}'’")}*`, "gv")
    const pieces = fc.oneof(
      fc.constantFrom(..."aZ09' ’-é\u0301漢字\u0e01ñ.\n\ud83d\ude00💡"),
      fc.string({ unit: "grapheme", maxLength: 2 })
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const text = parts.join("")
        expect(words(text)).toEqual(text.match(pattern) ?? [])
      }),
      { numRuns: 2000 }
    )
  })

  test("an ideograph is a word, and so is a sequence of letters", () => {
    expect(words("Don’t stop, 3 Ärzte: 日本語です")).toEqual([
      "Don’t",
      "stop",
      "3",
      "Ärzte",
      "日",
      "本",
      "語",
      "で",
      "す"
    ])
  })

  test("equal sequences have equal hashes, and order and borders matter", () => {
    const hash = (...words: ReadonlyArray<string>) => sequenceHash(words.map((word) => wordHash(word)))
    expect(hash("a", "b")).toBe(hash("a", "b"))
    const hashes = [hash("a", "b"), hash("b", "a"), hash("ab"), hash("a", "b", ""), hash()]
    expect(new Set(hashes).size).toBe(5)
    expect(hashes.every((hash) => /^[0-9a-f]{16}$/.test(hash))).toBe(true)
  })

  test("similar texts have near simhashes, and unrelated texts do not", () => {
    const original = text(400, 7)
    const edited = original.with(200, wordHash("changed"))
    expect(hammingDistance(simhash(original), simhash(original))).toBe(0)
    expect(hammingDistance(simhash(original), simhash(edited))).toBeLessThanOrEqual(8)
    expect(hammingDistance(simhash(original), simhash(text(400, 13).map((word) => word + 1)))).toBeGreaterThan(15)
  })

  test("the distance of hashes is a metric", () => {
    const hash = fc
      .array(fc.constantFrom(..."0123456789abcdef"), { minLength: 16, maxLength: 16 })
      .map((digits) => digits.join(""))
    fc.assert(
      fc.property(hash, hash, hash, (a, b, c) => {
        expect(hammingDistance(a, b)).toBe(hammingDistance(b, a))
        expect(hammingDistance(a, b) === 0).toBe(a === b)
        expect(hammingDistance(a, c)).toBeLessThanOrEqual(hammingDistance(a, b) + hammingDistance(b, c))
      })
    )
  })
})
