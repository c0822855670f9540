import * as Either from "effect/Either"
import { Gunzip } from "fflate"
import { ImportFailed } from "../ImportFailed.ts"
import { type Batch, emptyBatch, joined } from "../RawRow.ts"
import type { Decoder } from "./Decoder.ts"
import * as Unpacked from "./Unpacked.ts"

/** Unpacks gzip, as bulk exports are mostly stored, in front of another decoder. */
export const decoder = (file: string, inner: Decoder): Decoder => {
  const gauge: Unpacked.Gauge = { packed: 0, unpacked: 0 }
  let result: Either.Either<Batch, ImportFailed> = Either.right(emptyBatch)
  const fail = (reason: string) => {
    if (Either.isRight(result)) result = Either.left(new ImportFailed({ file, line: 0, reason }))
  }
  const take = (next: Either.Either<Batch, ImportFailed>) => {
    result = Either.zipWith(result, next, joined)
  }
  const gunzip = new Gunzip((bytes) => {
    gauge.unpacked += bytes.length
    if (Unpacked.isBomb(gauge)) fail("the file unpacks to far more than an export can hold")
    if (Either.isRight(result)) take(inner.push(bytes))
  })
  const push = (bytes: Uint8Array, last: boolean) => {
    for (let at = 0; (at < bytes.length || (last && at === 0)) && Either.isRight(result); at += Unpacked.slice) {
      const piece = bytes.slice(at, at + Unpacked.slice)
      gauge.packed += piece.length
      if (Either.isLeft(Either.try(() => gunzip.push(piece, last)))) fail("the compressed data are damaged or cut off")
    }
    if (last && Either.isRight(result)) take(inner.end())
    const batch = result
    if (Either.isRight(result)) result = Either.right(emptyBatch)
    return batch
  }
  return { push: (bytes) => push(bytes, false), end: () => push(new Uint8Array(0), true) }
}
