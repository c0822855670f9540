/**
 * Platform adapter: gzip (RFC 1952) over streams of bytes, by `node:zlib`. Its streams pause while a piece of output waits to be read, so a bomb costs no
 * more than its reader takes.
 */
import { createGunzip, createGzip } from "node:zlib"
import * as BunStream from "@effect/platform-bun/BunStream"

interface Options<E> {
  /** The size of the output pieces in bytes; large pieces are cheaper to process. */
  readonly pieceBytes: number
  /** The error of bytes that cannot be processed: damaged, cut off, or no gzip at all. */
  readonly failed: () => E
}

/** Compresses at the level that gzip itself has by default. */
export const gzip = <E>({ failed, pieceBytes }: Options<E>) =>
  BunStream.pipeThroughDuplex(() => createGzip({ chunkSize: pieceBytes, level: 6 }), failed)

/** Decompresses one file or several in a row; zeros at its end are padding. */
export const gunzip = <E>({ failed, pieceBytes }: Options<E>) =>
  BunStream.pipeThroughDuplex(() => createGunzip({ chunkSize: pieceBytes }), failed)
