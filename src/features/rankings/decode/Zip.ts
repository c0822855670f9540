import * as Either from "effect/Either"
import { Unzip, UnzipInflate } from "fflate"
import * as Unpacked from "../../../foundation/text/Unpacked.ts"
import { ImportFailed } from "../ImportFailed.ts"
import { emptyBatch } from "../RawRow.ts"
import { type Batches, type Decoder, failing } from "./Decoder.ts"

/** Members an archive may have; an export has seven. */
export const mostMembers = 100

/** How the members of one archive fared so far. */
interface Progress {
  decoded: number
  failure: string | undefined
  readonly refusals: Array<ImportFailed>
}

/** What a member was found to hold, and how it is read. */
interface Chunk {
  readonly read: (bytes: Uint8Array, last: boolean) => Batches
  readonly bytes: Uint8Array
  readonly last: boolean
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
  const progress: Progress = { decoded: 0, failure: undefined, refusals: [] }
  const gauge: Unpacked.Gauge = { packed: 0, unpacked: 0 }
  const chunks: Array<Chunk> = []
  let met = 0
  const fail = (reason: string) => {
    progress.failure ??= reason
  }
  const unzip = new Unzip((found) => {
    met += 1
    if (found.name === "[Content_Types].xml" || found.name.startsWith("xl/"))
      fail("this is an Excel workbook (xlsx); save its sheet as CSV")
    if (met > mostMembers) fail(`the archive has more than ${mostMembers} members`)
    const name = found.name.slice(0, longestName)
    const isRead = members.names.test(found.name) && !found.name.startsWith(copies)
    const read = isRead ? memberReader(members.decoder(`${file}/${name}`), members.varied, progress) : ignore
    found.ondata = (error, bytes, last) => {
      if (error !== null) return fail(`"${name}" cannot be unpacked: ${error.message}`)
      gauge.unpacked += bytes.length
      if (Unpacked.isBomb(gauge)) fail("the archive unpacks to far more than any export contains")
      if (progress.failure === undefined) chunks.push({ bytes, last, read })
    }
    found.start()
  })
  unzip.register(UnzipInflate)

  const push = function* (bytes: Uint8Array, last: boolean): Batches {
    for (const piece of Unpacked.slices(bytes)) {
      gauge.packed += piece.length
      const done = Either.try(() => unzip.push(piece, last))
      if (Either.isLeft(done)) fail("the archive is damaged")
      for (const chunk of chunks.splice(0)) yield* chunk.read(chunk.bytes, chunk.last)
      if (progress.failure !== undefined) return yield failing(file, 0, progress.failure)
    }
    if (!last) return
    const { decoded, refusals } = progress
    yield decoded === 0
      ? Either.left(reasonOf(file, refusals))
      : Either.right({ ...emptyBatch, passedOver: passedOver(refusals) })
  }
  return { push: (bytes) => push(bytes, false), end: () => push(new Uint8Array(0), true) }
}

/** Characters of a member's name in a message; a name may have 65,535. */
const longestName = 300

/** Where macOS puts the attributes of members, under their names. */
const copies = "__MACOSX/"

const ignore = (): Batches => [].values()

/** Feeds one member to its decoder; a refused header only passes the member over, a bad row fails the archive. */
const memberReader = (decoder: Decoder, varied: boolean, progress: Progress) => {
  let isRefused = false
  const decoded = function* (bytes: Uint8Array, last: boolean): Batches {
    yield* decoder.push(bytes)
    if (last) yield* decoder.end()
  }
  return function* (bytes: Uint8Array, last: boolean): Batches {
    if (isRefused) return
    for (const result of decoded(bytes, last)) {
      if (Either.isLeft(result) && result.left.line <= 1 && varied) {
        isRefused = true
        progress.refusals.push(result.left)
        return
      }
      yield result
    }
    if (last) progress.decoded += 1
  }
}

/** Tables that cannot be imported, beside some that are, with what to do instead; the list of filters is no such table. */
const passedOver = (refusals: ReadonlyArray<ImportFailed>) =>
  refusals.filter(({ reason }) => /^(this export|no column for date \()/.test(reason)).map(({ message }) => message)

/** What a table lacks says more than what the list of filters beside it lacks. */
const reasonOf = (file: string, refusals: ReadonlyArray<ImportFailed>) =>
  refusals.find(({ reason }) => reason.startsWith("this export")) ??
  refusals[0] ??
  new ImportFailed({ file, line: 0, reason: "the archive contains no file that can be imported" })
