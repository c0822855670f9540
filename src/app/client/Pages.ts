import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly meta: { readonly next_cursor?: string | undefined }
}

/** The cursor of a page; absent for the first. */
interface Start {
  readonly cursor?: string
}

/** All records of a list; pages are fetched as the stream is consumed: `records((start) => client.projects.list({ query: { limit: 100, ...start } }))`. */
export const records = <A, E, R>(list: (start: Start) => Effect.Effect<Page<A>, E, R>): Stream.Stream<A, E, R> => {
  const first: Start = {}
  return Stream.paginateChunkEffect(first, (start) =>
    Effect.map(list(start), ({ data, meta: { next_cursor: cursor } }) => [
      Chunk.fromIterable(data),
      cursor === undefined ? Option.none<Start>() : Option.some<Start>({ cursor })
    ])
  )
}
