import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as CopyText from "../decode/CopyText.ts"
import { addDropped, type Batch, type Dropped, noneDropped, type Table } from "../RawRow.ts"
import * as Extent from "./Extent.ts"
import * as Parts from "./Parts.ts"

/** A piece of an import as `COPY` takes it; what an import loads in all is the sum of its pieces. */
export interface Load {
  /** Staged rows, a line each. */
  readonly rows: string | Uint8Array
  /** The variants of rows that have no number yet, a line each. */
  readonly variants: string | Uint8Array
  /** Tables that have no number yet; they are numbered in this order. */
  readonly tables: ReadonlyArray<Table>
  readonly extent: Extent.Extent
  readonly dropped: Dropped
  /** Tables that were left out as a whole, each with the reason. */
  readonly passedOver: ReadonlyArray<string>
}

/** Characters of one load, give or take a row: each becomes one `COPY`, or two. */
const enough = 512 * 1024

/** Makes loads of batches. Stateful: one import has one of these; all that `add` gives is taken before the next batch is added. */
export const loading = () => {
  const numbered = Parts.numbering()
  let [rows, variants] = ["", ""]
  let rest = { dropped: noneDropped, passedOver: [] as string[], extent: Extent.nothing }
  const take = (): Load => {
    const load = { ...rest, rows, tables: numbered.newTables(), variants }
    rows = ""
    variants = ""
    rest = { dropped: noneDropped, passedOver: [], extent: Extent.nothing }
    return load
  }
  const add = function* (batch: Batch): IterableIterator<Load> {
    rest = {
      dropped: addDropped(rest.dropped, batch.dropped),
      passedOver: [...rest.passedOver, ...(batch.passedOver ?? [])],
      extent: Extent.extended(rest.extent, batch.rows)
    }
    for (const row of batch.rows) {
      rows += CopyText.line(row, numbered)
      variants += numbered.newVariants()
      if (rows.length + variants.length >= enough) yield take()
    }
  }
  return { add, end: take }
}

/** The loads of batches that are decoded in this process. */
export const ofBatches = <E, R>(batches: Stream.Stream<Batch, E, R>): Stream.Stream<Load, E, R> =>
  Stream.unwrap(
    Effect.sync(() => {
      const { add, end } = loading()
      return batches.pipe(
        Stream.flatMap((batch) => Stream.fromIteratorSucceed(add(batch), 1)),
        Stream.concat(Stream.sync(end))
      )
    })
  )
