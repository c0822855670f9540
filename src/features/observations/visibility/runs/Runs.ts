import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Conflict, NotFound } from "../../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../../accounts/Domain.ts"
import type { Batch } from "../../../accounts/Handlers.ts"
import { Owned } from "../../../accounts/Owned.ts"
import type { ProjectId } from "../../../projects/Domain.ts"
import { Projects } from "../../../projects/Projects.ts"
import type { Engine, RunId } from "../Domain.ts"
import { usual } from "../engines/Prices.ts"
import { BudgetRepo } from "./BudgetRepo.ts"
import { Configured } from "./Configured.ts"
import { isNamed } from "./Judgement.ts"
import type { Estimate } from "./Run.ts"
import { RunsRepo } from "./RunsRepo.ts"

/** Whom to ask, and how often. */
interface Terms {
  readonly engines: ReadonlyArray<Engine>
  readonly repeats: number
}

/** Amounts have the precision of a millionth of a dollar. */
const rounded = (usd: number) => Math.round(usd * 1e6) / 1e6

const noPrompts = new Conflict({ message: "The project has no prompts: add some first" })

/** The runs of an account's projects. */
export class Runs extends Effect.Service<Runs>()("visibility/runs/Runs", {
  dependencies: [BudgetRepo.Default, Configured.Default, Projects.Default, RunsRepo.Default],
  effect: Effect.gen(function* () {
    const budget = yield* BudgetRepo
    const configured = yield* Configured
    const projects = yield* Projects
    const repo = yield* RunsRepo
    const mine = Owned.by(repo.find, "run")

    const estimate = Traced.fn("GeoRuns.estimate")(function* (
      account: AccountId,
      id: ProjectId,
      { engines, repeats }: Terms
    ) {
      const project = yield* projects.own(account, id)
      const offers = yield* configured.offers(engines)
      const prompts = (yield* repo.prompts(project)).length * repeats
      const { usd } = yield* budget.charged
      return {
        budget_left_usd: Option.match(configured.daily, {
          onNone: () => 0,
          onSome: (daily) => rounded(Math.max(0, daily - usd))
        }),
        calls: prompts * offers.length,
        price: {
          high_usd: rounded(offers.reduce((sum, { price }) => sum + price.call, 0) * prompts),
          low_usd: rounded(offers.reduce((sum, { price }) => sum + usual(price), 0) * prompts)
        }
      } satisfies Estimate
    })

    const start = Traced.fn("GeoRuns.start")(function* (
      account: AccountId,
      id: ProjectId,
      { engines, repeats }: Terms
    ) {
      const project = yield* projects.own(account, id)
      const offers = yield* configured.offers(engines)
      yield* configured.ready(engines)
      yield* repo.lock(project)
      if (Option.isSome(yield* repo.inProgress(project)))
        return yield* new Conflict({ message: "A run of the project is in progress: wait for its end" })
      const prompts = yield* repo.prompts(project)
      if (prompts.length === 0) return yield* noPrompts
      const { brand_terms: names, url } = project.value
      const run = yield* repo.insert({ engines, host: new URL(url).hostname, names, project, repeats })
      yield* repo.plan({
        engines,
        models: offers.map(({ model }) => model),
        named: prompts.flatMap(({ id, text }) => (isNamed(text, names) ? [id] : [])),
        run: run.id,
        tools: offers.map(({ tool }) => tool)
      })
      return yield* get(account, id, run.id)
    }, repo.transaction)

    /** The run of the project, with the proof that it is the account's. */
    const own = Effect.fnUntraced(function* (account: AccountId, project: ProjectId, id: RunId) {
      const run = yield* mine(account, id)
      return run.value.project === project ? run : yield* NotFound.of("run")
    })

    const get = (account: AccountId, project: ProjectId, id: RunId) =>
      Effect.map(own(account, project, id), ({ value: { project: _, ...run } }) => run)

    const list = Traced.fn("GeoRuns.list")(function* (account: AccountId, project: ProjectId, batch: Batch) {
      return yield* repo.list({ ...batch, project: yield* projects.own(account, project) })
    })

    return { estimate, get, list, own, start }
  })
}) {}
