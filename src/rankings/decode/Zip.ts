import * as Either from "effect/Either"
import { Unzip, type UnzipFile, UnzipInflate } from "fflate"
import { ImportFailed } from "../ImportFailed.ts"
import { type Batch, emptyBatch, joined } from "../RawRow.ts"
import type { Decoder } from "./Decoder.ts"
import * as Unpacked from "./Unpacked.ts"

/** Members an archive may have; an export has seven. */
export const mostMembers = 100

/** How the members of one archive fared so far. */
interface Progress {
  batch: Batch
  decoded: number
  failure: ImportFailed | undefined
  readonly refusals: Array<ImportFailed>
}

/**
 * Reads a ZIP archive as it arrives. Members that are tables by date, query and page are decoded; others, such as the
 * one-dimension tables beside them, are passed over; when no member is such a table, the first one's reason is the answer.
 */
export const decoder = (file: string, member: (name: string) => Decoder): Decoder => {
  const progress: Progress = { batch: emptyBatch, decoded: 0, failure: undefined, refusals: [] }
  const gauge: Unpacked.Gauge = { packed: 0, unpacked: 0 }
  let members = 0
  const fail = (reason: string) => {
    progress.failure ??= new ImportFailed({ file, line: 0, reason })
  }
  const unzip = new Unzip((found) => {
    members += 1
    if (found.name === "[Content_Types].xml" || found.name.startsWith("xl/"))
      fail("this is an Excel workbook (xlsx); save its sheet as CSV")
    if (members > mostMembers) fail(`the archive has more than ${mostMembers} members`)
    const onBytes = isTable(found) ? memberReader(member(`${file}/${found.name}`), progress) : ignore
    found.ondata = (error, bytes, last) => {
      if (error !== null) return fail(`"${found.name}" cannot be unpacked: ${error.message}`)
      gauge.unpacked += bytes.length
      if (Unpacked.isBomb(gauge)) fail("the archive unpacks to far more than an export can hold")
      if (progress.failure === undefined) onBytes(bytes, last)
    }
    found.start()
  })
  unzip.register(UnzipInflate)

  const push = (bytes: Uint8Array, last: boolean): Either.Either<Batch, ImportFailed> => {
    for (
      let at = 0;
      (at < bytes.length || (last && at === 0)) && progress.failure === undefined;
      at += Unpacked.slice
    ) {
      const piece = bytes.slice(at, at + Unpacked.slice)
      gauge.packed += piece.length
      const done = Either.try(() => unzip.push(piece, last))
      if (Either.isLeft(done)) fail("the archive is damaged")
    }
    if (progress.failure !== undefined) return Either.left(progress.failure)
    if (last && progress.decoded === 0) return Either.left(reasonOf(file, progress.refusals))
    const batch = progress.batch
    progress.batch = emptyBatch
    return Either.right(last ? { ...batch, passedOver: passedOver(progress.refusals) } : batch)
  }
  return { push: (bytes) => push(bytes, false), end: () => push(new Uint8Array(0), true) }
}

const isTable = (found: UnzipFile) => /\.(csv|tsv|txt)$/i.test(found.name)

const ignore = () => undefined

/** Feeds one member to its decoder; a refused header only passes the member over, a bad row fails the archive. */
const memberReader = (decoder: Decoder, progress: Progress) => {
  let isRefused = false
  const take = (result: Either.Either<Batch, ImportFailed>) => {
    if (Either.isRight(result)) {
      progress.batch = joined(progress.batch, result.right)
    } else if (result.left.line > 1) {
      progress.failure = result.left
    } else {
      isRefused = true
      progress.refusals.push(result.left)
    }
  }
  return (bytes: Uint8Array, last: boolean) => {
    if (!isRefused) take(decoder.push(bytes))
    if (!last || isRefused || progress.failure !== undefined) return
    take(decoder.end())
    if (!isRefused) progress.decoded += 1
  }
}

/** Tables that cannot be imported, beside some that are, with what to do instead; the list of filters is no such table. */
const passedOver = (refusals: ReadonlyArray<ImportFailed>) =>
  refusals.filter(({ reason }) => /^(this export|no column for date \()/.test(reason)).map(({ message }) => message)

/** What a table lacks says more than what the list of filters beside it lacks. */
const reasonOf = (file: string, refusals: ReadonlyArray<ImportFailed>) =>
  refusals.find(({ reason }) => reason.startsWith("this export")) ??
  refusals[0] ??
  new ImportFailed({ file, line: 0, reason: "the archive holds no CSV table" })
