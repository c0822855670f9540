import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { boundedText } from "../http/Request.ts"

/** Removes the secrets of a request from the receiving service's response. */
export interface Redaction {
  /** A text without any part of a secret of 8 characters or more, in any spelling. */
  readonly text: (text: string) => string
  /** JSON with clean texts and names, without NUL and lone surrogates, which no text of the database may hold; none for text that is no JSON. */
  readonly json: (text: string) => Option.Option<unknown>
}

/** Characters of the shortest part of a secret that is removed. A shorter secret is removed as a whole, from `probe` characters on. */
const gram = 8

/** Characters that are looked up first, at every `stride`-th place. Each part of `gram` characters covers such a place. */
const probe = 4
const stride = gram - probe + 1

/** How often a text is unescaped: JSON in a text of JSON, entities in an encoded URL. */
const depth = 3

/** A text after some unescaping, with the original part of each character. */
interface View {
  readonly text: string
  readonly startOf: (index: number) => number
  readonly endOf: (index: number) => number
}

const original = (text: string): View => ({ endOf: (index) => index + 1, startOf: (index) => index, text })

/** Names of the characters in HTML that a secret may hold: https://html.spec.whatwg.org/multipage/named-characters.html */
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  ast: "*",
  bsol: "\\",
  colon: ":",
  comma: ",",
  commat: "@",
  dollar: "$",
  equals: "=",
  excl: "!",
  grave: "`",
  gt: ">",
  hat: "^",
  lcub: "{",
  lowbar: "_",
  lpar: "(",
  lsqb: "[",
  lt: "<",
  nbsp: " ",
  newline: " ",
  num: "#",
  percnt: "%",
  period: ".",
  plus: "+",
  quest: "?",
  quot: '"',
  rcub: "}",
  rpar: ")",
  rsqb: "]",
  semi: ";",
  sol: "/",
  tab: " ",
  verbar: "|"
}

/** Escapes of JavaScript by a character's number, of JSON by a letter, of URLs and of HTML; and blanks other than a single space. */
const numbers = String.raw`\\u[\da-f]{4}|\\x[\da-f]{2}|\\u\{[\da-f]{1,6}\}`
const letters = String.raw`\\[\s\S]`
/** JSON has these alone. A reader may leave a backslash before another letter, where JavaScript drops it. */
const lettersOfJson = String.raw`\\["\\/bfnrt]`
const ofUrls = String.raw`%[\da-f]{2}`
const ofHtml = String.raw`&#x[\da-f]{1,6};?|&#\d{1,7};?|&[a-z]{2,7};?`
const blanks = String.raw`\s{2,}|[^\S ]`

/** Any of these alternatives, the first match first. Groups would make the expression ten times slower. */
const any = (...pieces: ReadonlyArray<string>) => new RegExp([...pieces, blanks].join("|"), "gi")

const escapes = any(numbers, letters, ofUrls, ofHtml)

/** The escapes of each kind alone, by their first character: a backslash, a percent sign or an ampersand beside them may belong to the text itself. */
const kinds: ReadonlyArray<readonly [begin: string, escapes: RegExp]> = [
  ["\\", any(numbers)],
  ["\\", any(numbers, lettersOfJson)],
  ["\\", any(numbers, letters)],
  ["%", any(ofUrls)],
  ["&", any(ofHtml)]
]

const escaped = /^(?:%|\\x|\\u\{?|&#x)([\da-f]+)|^&#(\d+)|^&([a-z]+)|^\\([\s\S])/i

const letterOf = (code: number) => (code <= 0xffff ? String.fromCharCode(code) : "")

/** The character of an escape; undefined for text that is no escape. Blanks become one space. */
const unescaped = (escape: string): string | undefined => {
  const [, hex, decimal, name, letter = " "] = escaped.exec(escape) ?? []
  if (hex !== undefined) return letterOf(Number.parseInt(hex, 16))
  if (decimal !== undefined) return letterOf(Number.parseInt(decimal, 10))
  if (name !== undefined) return entities[name.toLowerCase()]
  return "bfnrt".includes(letter) ? " " : letter
}

/** A stretch of a view: each of its characters comes from the same number of characters of the previous text, from `start` on. */
interface Stretch {
  readonly at: number
  readonly start: number
  readonly width: number
}

const stretchAt = (stretches: ReadonlyArray<Stretch>, index: number): Stretch => {
  let [low, high] = [0, stretches.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((stretches[middle]?.at ?? 0) <= index) low = middle
    else high = middle
  }
  return stretches[low] ?? { at: 0, start: 0, width: 1 }
}

/** A view after one round of these escapes; undefined without escapes. */
const unfold = ({ endOf, startOf, text }: View, escapes: RegExp): View | undefined => {
  if (text.search(escapes) < 0) return undefined
  const stretches: Array<Stretch> = []
  const parts: Array<string> = []
  let length = 0
  let read = 0
  const add = (part: string, width: number) => {
    const last = stretches.at(-1)
    const goesOn = last?.width === width && last.start + (length - last.at) * width === read
    if (part !== "" && !goesOn) stretches.push({ at: length, start: read, width })
    parts.push(part)
    length += part.length
    read += part.length * width
  }
  for (const { 0: escape, index } of text.matchAll(escapes)) {
    const letter = unescaped(escape)
    if (letter === undefined) continue
    add(text.slice(read, index), 1)
    add(letter, escape.length)
    read = index + escape.length
  }
  add(text.slice(read), 1)
  const origin = (index: number) => {
    const { at, start, width } = stretchAt(stretches, index)
    return { first: start + (index - at) * width, last: start + (index - at + 1) * width - 1 }
  }
  return {
    endOf: (index) => endOf(origin(index).last),
    startOf: (index) => startOf(origin(index).first),
    text: parts.join("")
  }
}

/** A text after each round of unescaping. */
const roundsOf = (text: string, escapes: RegExp): ReadonlyArray<View> => {
  const views: Array<View> = []
  for (
    let view = unfold(original(text), escapes);
    view !== undefined;
    view = views.length >= depth ? undefined : unfold(view, escapes)
  )
    views.push(view)
  return views
}

/** A text, unchanged and after each round of unescaping, with all kinds and with each kind alone. */
const viewsOf = (text: string): ReadonlyArray<View> => {
  const found = kinds.filter(([begin]) => text.includes(begin))
  const alone = found.length > 1 ? found.flatMap(([, escapes]) => roundsOf(text, escapes)) : []
  return [original(text), ...roundsOf(text, escapes), ...alone]
}

/** The base64 characters that depend on the secret's bytes alone, after 0, 1 or 2 other bytes, in both alphabets. */
const base64Of = (secret: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(secret)
  return [0, 1, 2].flatMap((before) => {
    const shifted = new Uint8Array(before + bytes.length)
    shifted.set(bytes, before)
    return [Encoding.encodeBase64(shifted), Encoding.encodeBase64Url(shifted)].map((text) =>
      text.slice(Math.ceil((8 * before) / 6), Math.floor((8 * shifted.length) / 6))
    )
  })
}

const groupsOfFour = /[\s\S]{1,4}/g

/** The spellings to look for in each view of a text. WordPress shows an application password in groups of four, and takes it with and without blanks. */
const spellingsOf = (secret: string): ReadonlyArray<string> => {
  const compact = secret.replace(/\s+/g, "")
  const plain = [secret, compact, compact.match(groupsOfFour)?.join(" ") ?? "", secret.replace(/\s/g, "+")]
  // The views also unescape parts of the secret that look like escapes. Percent-encoding leads to the bytes of letters outside ASCII.
  const read = viewsOf(secret).map(({ text }) => text)
  const bytes = String.fromCharCode(...new TextEncoder().encode(secret))
  return [...plain, ...read, bytes, ...[secret, compact].flatMap(base64Of).filter(({ length }) => length >= gram)]
}

const partsOf = (spelling: string): ReadonlyArray<string> =>
  Array.from({ length: spelling.length - gram + 1 }, (_, at) => spelling.slice(at, at + gram))

type Range = readonly [start: number, end: number]

/** The text with the label in place of each range; ranges may overlap. */
const replaced = (text: string, ranges: ReadonlyArray<Range>, label: string): string => {
  const parts: Array<string> = []
  let read = 0
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    if (start > read || parts.length === 0) parts.push(text.slice(read, start), label)
    read = Math.max(read, end)
  }
  return parts.join("") + text.slice(read)
}

/** A small number for the `probe` characters at a place. */
const hashAt = (text: string, at: number): number => {
  let hash = 0
  for (let unit = at; unit < at + probe; unit++) hash = (hash * 31 + text.charCodeAt(unit)) & 0xffff
  return hash
}

/** Finds parts of long spellings. A table of hashes comes first, because responses have up to megabytes and rarely hold a secret. */
const partsFinder = (spellings: ReadonlyArray<string>) => {
  const grams = new Set(spellings.flatMap(partsOf))
  const hashes = new Uint8Array(0x10000)
  for (const part of grams) for (let at = 0; at < stride; at++) hashes[hashAt(part, at)] = 1
  return (text: string): ReadonlyArray<Range> => {
    const found: Array<Range> = []
    let [from, until] = [0, 0]
    const close = () => {
      if (until > from) found.push([from, until])
    }
    for (let at = 0; at + probe <= text.length; at += stride) {
      if (hashes[hashAt(text, at)] === 0) continue
      for (let start = Math.max(0, at - stride + 1); start <= at; start++) {
        if (!grams.has(text.slice(start, start + gram))) continue
        if (start > until) {
          close()
          from = start
        }
        until = start + gram
      }
    }
    close()
    return found
  }
}

const wholes = (text: string, spelling: string): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  for (let at = text.indexOf(spelling); at >= 0; at = text.indexOf(spelling, at + spelling.length))
    found.push([at, at + spelling.length])
  return found
}

/** Removes these secrets, and leaves the label in their places. */
export const of = (secrets: Iterable<Redacted.Redacted>, label: string): Redaction => {
  const spellings = [...new Set([...secrets].flatMap((secret) => spellingsOf(Redacted.value(secret))))]
  const short = spellings.filter(({ length }) => length >= probe && length < gram)
  const partsIn = partsFinder(spellings.filter(({ length }) => length >= gram))

  const text = (text: string): string => {
    const found = viewsOf(text).flatMap(({ endOf, startOf, text: view }) =>
      [...partsIn(view), ...short.flatMap((spelling) => wholes(view, spelling))].map(
        ([start, end]): Range => [startOf(start), endOf(end - 1)]
      )
    )
    return found.length === 0 ? text : replaced(text, found, label)
  }

  const storable = (value: string) => text(value.replaceAll("\0", "")).toWellFormed()

  const named = (value: object): object => {
    const entries = Object.entries(value)
    return entries.every(([name]) => storable(name) === name)
      ? value
      : Object.fromEntries(entries.map(([name, inner]) => [storable(name), inner]))
  }

  const reviver = (_: string, value: unknown) => {
    if (typeof value === "string") return storable(value)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? named(value) : value
  }

  return { json: Schema.decodeUnknownOption(Schema.parseJson({ reviver })), text }
}

/** The response of a service that received secrets, without the secrets. */
export interface CleanAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The JSON of the body, null for an empty body; none for a body that is no JSON. */
  readonly json: Option.Option<unknown>
}

/** Reads a response to its end; fails with `tooLong` as soon as it has more than `longest` bytes. Only the clean JSON is returned, never the text. */
export const cleanAnswer = <E>(
  { headers, status, stream }: HttpClientResponse.HttpClientResponse,
  redaction: Redaction,
  longest: number,
  tooLong: E
) =>
  boundedText(
    // For a response without a body, such as 204, the platform's stream fails.
    Stream.catchAll(stream, (error) => (error.reason === "EmptyBody" ? Stream.empty : Stream.fail(error))),
    longest,
    tooLong
  ).pipe(
    Effect.map(
      (text): CleanAnswer => ({
        headers,
        json: text === "" ? Option.some(null) : redaction.json(text),
        status
      })
    )
  )
