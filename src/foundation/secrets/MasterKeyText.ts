import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** Length of a master key in bytes. */
export const masterKeyLength = 32

/** Reads the base64 of a master key; surrounding white space, as a text editor leaves it, is ignored. */
export const decode = (text: string): Option.Option<Redacted.Redacted<Uint8Array>> =>
  Encoding.decodeBase64(text.trim()).pipe(
    Either.getRight,
    Option.filter((bytes) => bytes.length === masterKeyLength),
    Option.map(Redacted.make)
  )
