import { describe, expect, test } from "bun:test"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import fc from "fast-check"
import * as Redaction from "../../../src/foundation/secrets/Redaction.ts"

const label = "[secret]"
const redaction = (...secrets: ReadonlyArray<string>) => Redaction.of(secrets.map(Redacted.make), label)

/** An encoding of a text, and its decoding. */
type Spelling = readonly [name: string, write: (text: string) => string, read: (text: string) => ReadonlyArray<string>]

const itself = (text: string) => [text]
const each = (letter: (code: number) => string) => (text: string) =>
  Array.from(text, (character) => letter(character.charCodeAt(0))).join("")
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0")
const byCode = (pattern: RegExp, base: number) => (text: string) => [
  text.replace(pattern, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, base)))
]
const inBase64 = (text: string) =>
  [0, 1, 2, 3].map((from) => Buffer.from(text.slice(from), "base64").toString("latin1"))
const unslashed = (text: string) => [text.replace(/\\(["\\/])/g, "$1")]

const percent = byCode(/%([\da-f]{2})/gi, 16)

const spellings: ReadonlyArray<Spelling> = [
  ["as it is", (text) => text, itself],
  ["without blanks", (text) => text.replaceAll(" ", ""), itself],
  ["with plus signs", (text) => text.replaceAll(" ", "+"), itself],
  ["over several lines", (text) => text.replaceAll(" ", "\n  "), (text) => [text.replace(/\s+/g, " ")]],
  [
    "in groups of four",
    (text) => (text.replaceAll(" ", "").match(/.{1,4}/g) ?? []).join(" "),
    (text) => [text.replaceAll(" ", "")]
  ],
  ["as JSON", (text) => JSON.stringify(text), unslashed],
  ["as JSON of PHP", (text) => JSON.stringify(text).replaceAll("/", "\\/"), unslashed],
  ["as JSON in JSON", (text) => JSON.stringify(JSON.stringify(text)), (text) => unslashed(unslashed(text)[0] ?? "")],
  ["as code units", each((code) => `\\u${hex(code, 4)}`), byCode(/\\u([\da-f]{4})/gi, 16)],
  ["as upper-case code units", each((code) => `\\u${hex(code, 4).toUpperCase()}`), byCode(/\\u([\da-f]{4})/gi, 16)],
  ["percent-encoded where needed", encodeURIComponent, percent],
  ["percent-encoded throughout", each((code) => `%${hex(code, 2)}`), percent],
  ["percent-encoded in upper case", each((code) => `%${hex(code, 2).toUpperCase()}`), percent],
  [
    "percent-encoded twice",
    (text) => encodeURIComponent(each((code) => `%${hex(code, 2)}`)(text)),
    (text) => percent(percent(text)[0] ?? "")
  ],
  [
    "escaped for HTML",
    Bun.escapeHTML,
    (text) => [
      text
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"')
        .replaceAll("&#x27;", "'")
        .replaceAll("&amp;", "&")
    ]
  ],
  ["as decimal entities", each((code) => `&#${code};`), byCode(/&#(\d+);/g, 10)],
  ["as hexadecimal entities", each((code) => `&#x${hex(code, 2)};`), byCode(/&#x([\da-f]+);/gi, 16)],
  ["in base64", (text) => Buffer.from(text).toString("base64"), inBase64],
  ["in base64 of a pair", (text) => Buffer.from(`user:${text}`).toString("base64"), inBase64],
  [
    "in base64 of a pair without blanks",
    (text) => Buffer.from(`robot:${text.replaceAll(" ", "")}`).toString("base64"),
    inBase64
  ],
  ["in base64 for addresses", (text) => Buffer.from(`a:${text}`).toString("base64url"), inBase64],
  [
    "in base64 as JSON of PHP",
    (text) => Buffer.from(`u:${text}`).toString("base64").replaceAll("/", "\\/"),
    (text) => inBase64(text.replaceAll("\\/", "/"))
  ]
]

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
const of = (alphabet: string, minLength: number, maxLength: number) =>
  fc.string({ maxLength, minLength, unit: fc.constantFrom(...alphabet) })

const secrets = fc.oneof(
  of(letters, 16, 60),
  of(`${letters}_-./+=~%&<>"'\\:;,!`, 12, 60),
  fc.array(of(letters, 4, 4), { maxLength: 6, minLength: 6 }).map((groups) => groups.join(" "))
)

/** The parts of a secret that must not be readable, with and without its blanks. */
const partsOf = (secret: string) =>
  [secret, secret.replaceAll(" ", "")].flatMap((text) =>
    Array.from({ length: Math.max(0, text.length - 7) }, (_, at) => text.slice(at, at + 8))
  )

const readable = (text: string, read: Spelling[2], secret: string) => {
  const pieces = text.split(label)
  const texts = [...pieces, ...pieces.flatMap(read)]
  return partsOf(secret).filter((part) => texts.some((text) => text.includes(part)))
}

describe("a redacted text", () => {
  for (const [name, write, read] of spellings)
    test(`contains no part of a secret that is written ${name}, wherever the text is cut`, () =>
      fc.assert(
        fc.property(secrets, fc.nat(), fc.nat(), fc.boolean(), (secret, from, length, isWhole) => {
          const spelled = write(secret)
          const start = isWhole ? 0 : from % spelled.length
          const cut = spelled.slice(start, isWhole ? undefined : start + 1 + (length % spelled.length))
          const text = redaction(secret).text(`Bad credentials: “${cut}” (401)`)
          expect(readable(text, read, secret)).toEqual([])
          expect(text).toStartWith("Bad credentials: “")
          expect(text).toEndWith("” (401)")
        }),
        // Cut within an escape, where JSON's reader and JavaScript's read other letters.
        { examples: [['aaaa\\aaaaaa"', 1_622_329_808, 774_527_700, false]] }
      ))

  test("contains no part of a secret in JSON, neither in values nor in names", () =>
    fc.assert(
      fc.property(secrets, fc.constantFrom(...spellings), (secret, [, write, read]) => {
        const json = JSON.stringify({ [`key ${write(secret)}`]: [{ message: `is ${write(secret)}` }] })
        const clean = JSON.stringify(Option.getOrThrow(redaction(secret).json(json)))
        expect(readable(clean, read, secret)).toEqual([])
      })
    ))

  test("is unchanged without a secret in it", () =>
    fc.assert(
      fc.property(of(letters, 16, 60), fc.string(), (secret, text) => {
        expect(redaction(secret).text(text)).toBe(text)
        expect(redaction().text(text)).toBe(text)
      })
    ))

  test("shows neither short secrets nor several adjacent ones", () => {
    expect(redaction("pa55w", "token-1", "").text("pa55w, TOKEN-1 and token-1token-1")).toBe(
      "[secret], TOKEN-1 and [secret]"
    )
  })
})

describe("redacted JSON", () => {
  test("holds only text that the database can store, keeps numbers and names, and is absent for text that is no JSON", () => {
    const { json } = redaction("secret-of-the-day")
    expect(json('{"a":"n\\u0000ul","b":"\\ud800","c":1e999,"__proto__":{"d":[null,true]}}')).toEqual(
      Option.some(JSON.parse('{"a":"nul","b":"\ufffd","c":1e999,"__proto__":{"d":[null,true]}}'))
    )
    expect(json("<b>Notice</b>{}")).toEqual(Option.none())
  })
})
