import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { apiError } from "../../../foundation/http/ApiError.ts"
import { Invalid } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import type { Beside, OpportunityFilters } from "./Api.ts"
import type { CurvePoint, NotAssessed } from "./Domain.ts"
import { ListsRepo, type Summary } from "./ListsRepo.ts"
import { windowLength } from "./Weeks.ts"

/** A record as JSON, and where it stands. */
interface Listed {
  readonly json: string
  readonly generation: string
  readonly place: number
}

/** Where a page starts, as the cursor has it: the generation, and the place of the record before. */
const Position = Schema.Tuple(Schema.String.pipe(Schema.pattern(/^\d{1,18}$/)), Schema.NumberFromString)
const decodePosition = Schema.decodeUnknown(Position)

const stale = apiError(
  "invalid_cursor",
  "The cursor is too old: its list was replaced more than a day ago. Start again without a cursor"
)
const unmade = apiError(
  "service_unavailable",
  "The lists of this project are made after an upgrade, which takes a minute; try again later",
  { headers: { "retry-after": "60" } }
)

const noData = (kind: typeof NotAssessed.Type.kind): Beside => ({
  not_assessed: [{ kind, needed_days: neededBy(kind), reason: "history_too_short" }],
  windows: null
})

const neededBy = (kind: typeof NotAssessed.Type.kind) => (kind === "decay" ? 2 * windowLength : windowLength)

const besideOf = (
  { not_assessed, windows }: typeof Summary.Type,
  kind: typeof NotAssessed.Type.kind,
  device: string
): Beside => {
  const found = not_assessed.find((one) => one.device === device)
  const reason = (kind === "decay" ? found?.decay : found?.queries) ?? null
  return { not_assessed: reason === null ? [] : [{ kind, needed_days: neededBy(kind), reason }], windows }
}

/** What the search data of an account's projects say to do. */
export class Opportunities extends Effect.Service<Opportunities>()("rankings/opportunities/Opportunities", {
  dependencies: [ListsRepo.Default, Projects.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* ListsRepo

    /** One page; a walk stays in the generation that it began with for as long as that is kept. */
    const list = Traced.fn("Opportunities.list")(function* (
      account: AccountId,
      project: ProjectId,
      { brand, device = "", kind }: Omit<OpportunityFilters, "device"> & { readonly device?: string },
      { after, count }: Batch
    ) {
      if (kind === "decay" && brand !== undefined)
        return yield* Invalid.of("brand", "must be left out for decay, which is about pages with all their queries")
      const site = yield* projects.own(account, project)
      const [walk, place] = after === undefined ? [null, 0] : yield* Effect.orDie(decodePosition(after))
      const found = Option.getOrUndefined(yield* repo.generation({ generation: walk, site }))
      const none: ReadonlyArray<Listed> = []
      if (found === undefined) return walk === null ? { beside: noData(kind), records: none } : yield* stale
      const { id: generation, summary } = found
      if (summary === null) return yield* unmade
      const rows = yield* repo.page({ after: place, brand: brand ?? "any", count, device, generation, kind })
      return {
        beside: besideOf(summary, kind, device),
        records: rows.map(({ place, record }): Listed => ({ generation, json: record, place }))
      }
    })

    /** The click curve of the newest 28 days; empty while these are not all known. */
    const curve = Traced.fn("Opportunities.curve")(function* (account: AccountId, project: ProjectId) {
      const site = yield* projects.own(account, project)
      const found = Option.getOrUndefined(yield* repo.generation({ generation: null, site }))
      const none: ReadonlyArray<typeof CurvePoint.Type> = []
      if (found === undefined) return { data: none, meta: noData("ctr_curve") }
      if (found.summary === null) return yield* unmade
      const data = yield* repo.curve({ generation: found.id })
      return { data, meta: besideOf(found.summary, "ctr_curve", "") }
    })

    return { curve, list }
  }).pipe(Effect.orDie)
}) {
  /** Where a record stands in its list, as a cursor has it. */
  static position({ generation, place }: Listed): ReadonlyArray<string> {
    return [generation, String(place)]
  }
}
