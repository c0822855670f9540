import * as Either from "effect/Either"

/** Decodes bytes that arrive in pieces; the left side says why they are no text. */
type TextReader = (bytes: Uint8Array, last: boolean) => Either.Either<string, string>

/** UTF-8, or UTF-16 where a byte order mark says so; the mark itself is dropped and malformed bytes are refused. */
export const reader = (): TextReader => {
  let decoder: TextDecoder | undefined
  let held = new Uint8Array(0)
  return (piece, last) => {
    const bytes = held.length === 0 ? piece : joined(held, piece)
    held = new Uint8Array(0)
    if (decoder === undefined && bytes.length < 2 && !last) {
      held = bytes.slice()
      return Either.right("")
    }
    const current = decoder ?? new TextDecoder(encodingOf(bytes), { fatal: true })
    decoder = current
    return Either.try({
      try: () => current.decode(bytes, { stream: !last }),
      catch: () => `not ${current.encoding} text`
    })
  }
}

const encodingOf = (bytes: Uint8Array) =>
  bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8"

const joined = (a: Uint8Array, b: Uint8Array) => {
  const all = new Uint8Array(a.length + b.length)
  all.set(a)
  all.set(b, a.length)
  return all
}
