import { createHash } from "node:crypto"
import { createGunzip, createGzip } from "node:zlib"
import * as BunStream from "@effect/platform-bun/BunStream"
import * as Either from "effect/Either"

/** Decodes bytes in pieces; the left side has the reason why the bytes are no text. */
type TextReader = (bytes: Uint8Array, last: boolean) => Either.Either<string, string>

/** Decodes UTF-8, or UTF-16 after a byte order mark. The mark is dropped, and malformed bytes are refused. */
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

/** Platform adapter: a digest over files in pieces. The web's digests need all bytes together. */

/** Takes the bytes of one file, in their order. */
export const fileHash = () => {
  const hash = createHash("sha256")
  return { add: (bytes: Uint8Array) => void hash.update(bytes), digest: (): Uint8Array => hash.digest() }
}

/** One digest of how files are read, and of the files in their order. */
export const hashOf = (how: ReadonlyArray<string>, files: ReadonlyArray<Uint8Array>): string => {
  const hash = createHash("sha256").update(JSON.stringify(how))
  for (const digest of files) hash.update(digest)
  return hash.digest("hex")
}

/**
 * Platform adapter: gzip (RFC 1952) over streams of bytes, by `node:zlib`. Its streams pause until a piece of output is read, so a bomb costs no more than its
 * reader takes.
 */

interface Options<E> {
  /** The size of the output pieces in bytes; large pieces are cheaper to process. */
  readonly pieceBytes: number
  /** The error for bytes that are damaged, cut off, or no gzip at all. */
  readonly failed: () => E
}

/** Compresses at gzip's default level. */
export const gzip = <E>({ failed, pieceBytes }: Options<E>) =>
  BunStream.pipeThroughDuplex(() => createGzip({ chunkSize: pieceBytes, level: 6 }), failed)

/** Decompresses one file or several in a row; zeros at its end are padding. */
export const gunzip = <E>({ failed, pieceBytes }: Options<E>) =>
  BunStream.pipeThroughDuplex(() => createGunzip({ chunkSize: pieceBytes }), failed)

// fflate unpacks ZIP and gzip files inside imports synchronously: only unpacking finds the end of a member, and a decoder that waited for `gunzip` between
// pieces could not make one batch on demand. `node:zlib` reads no ZIP.

/** Limits of unpacked bytes. Bulk files are large, so the ratio reveals a bomb. */
const limits = { bytes: 64 * 1024 ** 3, ratio: 200, ratioFrom: 64 * 1024 ** 2 } as const

/** Packed bytes handled at a time. Deflate unpacks each byte to about 1,030 at most. */
const slice = 16384

/** Copies of the input in slices. Empty input gives one empty slice, because the last slice carries the end. */
export function* slices(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at === 0 || at < bytes.length; at += slice) yield bytes.slice(at, at + slice)
}

/** Counts both sides of an inflation. */
export interface Gauge {
  packed: number
  unpacked: number
}

/** Whether the input unpacks to more than honest data can. */
export const isBomb = ({ packed, unpacked }: Gauge): boolean =>
  unpacked > limits.bytes || (unpacked > limits.ratioFrom && unpacked > packed * limits.ratio)
