import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Traced from "../../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../../accounts/Domain.ts"
import type { Batch } from "../../../accounts/Handlers.ts"
import type { ProjectId } from "../../../projects/Domain.ts"
import { Projects } from "../../../projects/Projects.ts"
import type { Engine, Outcome, RunId } from "../Domain.ts"
import { type Measure, MeasuresRepo } from "../runs/MeasuresRepo.ts"
import { Runs } from "../runs/Runs.ts"
import { citedRate, compared, mentionedRate } from "../statistics/Measured.ts"
import { powerOf } from "../statistics/Power.ts"
import type { Visible } from "./Domain.ts"
import { ReadsRepo } from "./ReadsRepo.ts"

const shareOf = (part: number, whole: number) => (whole === 0 ? null : part / whole)

/** One engine of the run that is compared with; undefined where it was not asked. */
const comparisonOf = (measure: Measure, other: Measure | undefined): Visible["comparison"] => {
  if (other === undefined)
    return { comparable: false, delta: null, interval: null, p_value: null, reasons: ["other_engine"] }
  const { change, reasons } = compared(other, measure)
  return {
    comparable: reasons.length === 0,
    delta: change?.delta ?? null,
    interval: change?.interval ?? null,
    p_value: change?.p ?? null,
    reasons
  }
}

const visibleOf = (measure: Measure, comparison: Visible["comparison"]): Visible => {
  const answers = measure.prompts.reduce((sum, prompt) => sum + prompt.answers, 0)
  return {
    answers,
    cited: citedRate(measure),
    comparison,
    engine: measure.engine,
    errors: measure.errors,
    mentioned: mentionedRate(measure),
    model: measure.models[0] ?? null,
    prompts: measure.prompts.length,
    searched_rate: shareOf(answers, answers + measure.notSearched)
  }
}

/** What the runs of an account's projects brought. */
export class Reads extends Effect.Service<Reads>()("visibility/reads/Reads", {
  dependencies: [MeasuresRepo.Default, Projects.Default, ReadsRepo.Default, Runs.Default],
  effect: Effect.gen(function* () {
    const { measures } = yield* MeasuresRepo
    const projects = yield* Projects
    const repo = yield* ReadsRepo
    const runs = yield* Runs

    const visibility = Traced.fn("Geo.visibility")(function* (
      account: AccountId,
      id: ProjectId,
      { compare, engine }: { readonly compare: RunId | undefined; readonly engine: Engine | undefined }
    ) {
      const project = yield* projects.own(account, id)
      const earlier =
        compare === undefined ? undefined : yield* measures({ run: (yield* runs.own(account, id, compare)).id })
      const newest = yield* repo.newest({ engine, project })
      if (Option.isNone(newest)) return []
      const found = yield* measures({ run: newest.value.id })
      return found
        .filter((measure) => engine === undefined || measure.engine === engine)
        .map((measure) =>
          visibleOf(
            measure,
            earlier === undefined
              ? null
              : comparisonOf(
                  measure,
                  earlier.find((other) => other.engine === measure.engine)
                )
          )
        )
    })

    const answers = Traced.fn("Geo.answers")(function* (
      account: AccountId,
      id: ProjectId,
      { outcome, run }: { readonly outcome: Outcome | undefined; readonly run: RunId | undefined },
      batch: Batch
    ) {
      const project = yield* projects.own(account, id)
      if (run !== undefined) yield* runs.own(account, id, run)
      return yield* repo.answers({ ...batch, outcome, project, run })
    })

    const domains = Traced.fn("Geo.domains")(function* (
      account: AccountId,
      id: ProjectId,
      { engine, run }: { readonly engine: Engine | undefined; readonly run: RunId | undefined },
      batch: Batch
    ) {
      const project = yield* projects.own(account, id)
      const named =
        run === undefined
          ? Option.map(yield* repo.newest({ engine, project }), ({ id }) => id)
          : Option.some((yield* runs.own(account, id, run)).id)
      return Option.isNone(named) ? [] : yield* repo.domains({ ...batch, engine, run: named.value })
    })

    const power = (account: AccountId, id: ProjectId, plan: Parameters<typeof powerOf>[0]) =>
      Effect.map(projects.own(account, id), () => powerOf(plan))

    return { answers, domains, power, visibility }
  })
}) {}
