import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Conflict, Invalid, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import type { ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import * as Property from "../rankings/Property.ts"
import { SourcesRepo } from "../rankings/sync/SourcesRepo.ts"
import type { Inspect } from "./Api.ts"
import type { Queued } from "./Domain.ts"
import { InspectionsRepo } from "./InspectionsRepo.ts"

/** URLs of a project that may wait: those of ten days. */
const waitingAtMost = 20_000

const unconnected = new Conflict({
  message: "The project is not connected to Search Console: connect it first, by PUT of its source"
})

interface Filters {
  readonly changedSince: DateTime.Utc | undefined
  readonly verdict: string | undefined
}

/** What Google says of the URLs of an account's projects. */
export class Inspections extends Effect.Service<Inspections>()("inspections/Inspections", {
  dependencies: [InspectionsRepo.Default, Projects.Default, SourcesRepo.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* InspectionsRepo
    const sources = yield* SourcesRepo

    /** The URLs that are asked for: those named, all of which must be on the property, or those of a run that are. */
    const wanted = Effect.fnUntraced(function* (
      project: Effect.Effect.Success<ReturnType<typeof projects.own>>,
      { from, run_id, urls }: Inspect,
      property: string
    ) {
      if (urls !== undefined) {
        if (from !== undefined) return yield* Invalid.of("from", "must be left out where urls are named")
        if (run_id !== undefined) return yield* Invalid.of("run_id", "goes with from: run")
        const named = urls.map((url) => new URL(url).href)
        const off = named.findIndex((url) => !Property.holds(property, url))
        if (off >= 0) return yield* Invalid.of(`urls.${off}`, `must be on the connected property, ${property}`)
        return named
      }
      if (from === undefined) return yield* Invalid.of("urls", "must be set, or from: run")
      const [offered] = yield* repo.offeredBy({ project, run: run_id ?? null })
      if (offered === undefined)
        return yield* run_id === undefined
          ? new Conflict({ message: "The project has no run with results: start one first" })
          : NotFound.of("run of this project with results")
      return offered.urls.filter((url) => Property.holds(property, url))
    })

    const queue = Traced.fn("Inspections.queue")(function* (account: AccountId, id: ProjectId, request: Inspect) {
      const project = yield* projects.own(account, id)
      const { property } = yield* Effect.mapError(Effect.flatten(sources.connection(project)), () => unconnected)
      const urls = [...new Set(yield* wanted(project, request, property))]
      const { ofAccount, ofProject } = yield* repo.waiting({ project, property })
      if (ofProject + urls.length > waitingAtMost)
        return yield* Invalid.of(
          request.urls === undefined ? "from" : "urls",
          `must leave at most ${waitingAtMost} URLs of the project waiting; ${ofProject} wait now`
        )
      const { queued } = yield* repo.queue({ project, urls })
      return { joined: urls.length - queued, position_estimate: ofAccount, queued } satisfies Queued
    }, repo.transaction)

    const list = Traced.fn("Inspections.list")(function* (
      account: AccountId,
      project: ProjectId,
      filters: Filters,
      { after, count }: Batch
    ) {
      return yield* repo.page({ ...filters, after, count, project: yield* projects.own(account, project) })
    })

    return { list, queue }
  })
}) {}
