import * as Either from "effect/Either"
import { Gunzip } from "fflate"
import * as Unpacked from "../../../foundation/text/Unpacked.ts"
import { type Batches, type Decoder, failing } from "./Decoder.ts"

/** Unpacks gzip, as bulk exports are mostly stored, in front of another decoder. */
export const decoder = (file: string, inner: Decoder): Decoder => {
  const gauge: Unpacked.Gauge = { packed: 0, unpacked: 0 }
  const chunks: Array<Uint8Array> = []
  let reason: string | undefined
  const gunzip = new Gunzip((bytes) => {
    gauge.unpacked += bytes.length
    if (Unpacked.isBomb(gauge)) reason ??= "the file unpacks to far more than any export contains"
    if (reason === undefined) chunks.push(bytes)
  })
  const push = function* (bytes: Uint8Array, last: boolean): Batches {
    for (const piece of Unpacked.slices(bytes)) {
      gauge.packed += piece.length
      if (Either.isLeft(Either.try(() => gunzip.push(piece, last)))) {
        reason ??= "the compressed data are damaged or cut off"
      }
      for (const chunk of chunks.splice(0)) yield* inner.push(chunk)
      if (reason !== undefined) return yield failing(file, 0, reason)
    }
    if (last) yield* inner.end()
  }
  return { push: (bytes) => push(bytes, false), end: () => push(new Uint8Array(0), true) }
}
