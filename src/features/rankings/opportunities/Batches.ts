import * as Effect from "effect/Effect"

/** Rows that are read, or written, at a time. */
export const batch = 2000

/** Works on all rows of a table whose keys are 1, 2, 3, …, a batch after the other. */
export const eachBatch = Effect.fnUntraced(function* <A>(
  page: (of: { readonly after: number; readonly count: number }) => Effect.Effect<ReadonlyArray<A>>,
  work: (rows: ReadonlyArray<A>) => Effect.Effect<void>
) {
  for (let after = 0; ; after += batch) {
    const rows = yield* page({ after, count: batch })
    yield* work(rows)
    if (rows.length < batch) return
  }
})
