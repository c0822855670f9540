import * as Either from "effect/Either"
import { Unzip, UnzipInflate } from "fflate"
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

/** What an archive has. */
interface Members {
  /** Which members are read, by their names; others are ignored. */
  readonly names: RegExp
  /** Whether a member that is refused for its header is passed over, as tables of the interface's archive are. */
  readonly varied: boolean
  readonly decoder: (name: string) => Decoder
}

/**
 * Reads a ZIP archive as it arrives. Members that can be imported are decoded; tables that cannot, such as some beside them in an export of the
 * interface, are passed over; when no member is left, the first one's reason is the answer.
 */
export const decoder = (file: string, members: Members): Decoder => {
  const progress: Progress = { batch: emptyBatch, decoded: 0, failure: undefined, refusals: [] }
  const gauge: Unpacked.Gauge = { packed: 0, unpacked: 0 }
  let met = 0
  const fail = (reason: string) => {
    progress.failure ??= new ImportFailed({ file, line: 0, reason })
  }
  const unzip = new Unzip((found) => {
    met += 1
    if (found.name === "[Content_Types].xml" || found.name.startsWith("xl/"))
      fail("this is an Excel workbook (xlsx); save its sheet as CSV")
    if (met > mostMembers) fail(`the archive has more than ${mostMembers} members`)
    const isRead = members.names.test(found.name) && !found.name.startsWith(copies)
    const onBytes = isRead ? memberReader(members.decoder(`${file}/${found.name}`), members.varied, progress) : ignore
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

/** Where macOS puts the attributes of members, under their names. */
const copies = "__MACOSX/"

const ignore = () => undefined

/** Feeds one member to its decoder; a refused header only passes the member over, a bad row fails the archive. */
const memberReader = (decoder: Decoder, varied: boolean, progress: Progress) => {
  let isRefused = false
  const take = (result: Either.Either<Batch, ImportFailed>) => {
    if (Either.isRight(result)) {
      progress.batch = joined(progress.batch, result.right)
    } else if (result.left.line > 1 || !varied) {
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
  new ImportFailed({ file, line: 0, reason: "the archive holds no file that can be imported" })
