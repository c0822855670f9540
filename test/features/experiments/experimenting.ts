import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import type { AccountId } from "../../../src/features/accounts/Domain.ts"
import { NewExperiment } from "../../../src/features/experiments/Domain.ts"
import { Experiments } from "../../../src/features/experiments/Experiments.ts"
import { ExperimentsRepo } from "../../../src/features/experiments/ExperimentsRepo.ts"
import { GrowthProjects } from "../../../src/features/experiments/GrowthProjects.ts"
import { DomainName, type GrowthProjectId } from "../../../src/features/experiments/GrowthProjectsApi.ts"
import { type Analysis, ExperimentMetrics } from "../../../src/features/experiments/statistics/Statistics.ts"
import { Projects } from "../../../src/features/projects/Projects.ts"
import * as cluster from "../../cluster.ts"

/** The use cases with an empty database. */
export const layer = Layer.mergeAll(
  Accounts.Default,
  Experiments.Default,
  ExperimentsRepo.Default,
  GrowthProjects.Default,
  Projects.Default
).pipe(Layer.provideMerge(cluster.layer))

/** Counts of a successful experiment. */
export const counts = {
  controlMetrics: { postConversions: 205, postImpressions: 10_100, preConversions: 200, preImpressions: 10_000 },
  treatmentMetrics: { postConversions: 290, postImpressions: 10_200, preConversions: 210, preImpressions: 10_050 }
}

export const metrics = Schema.decodeSync(ExperimentMetrics)(counts)

const newExperiment = Schema.decodeSync(NewExperiment)
const domainOf = Schema.decodeSync(DomainName)

export const growthProject = (account: AccountId, domain = "example.com") =>
  Effect.flatMap(GrowthProjects, (growthProjects) => growthProjects.create(account, domainOf(domain)))

export const experiment = (
  account: AccountId,
  project: GrowthProjectId,
  status: "draft" | "running" | "completed" = "draft",
  name = "Shorter titles"
) =>
  Effect.gen(function* () {
    const experiments = yield* Experiments
    const created = yield* experiments.create(
      account,
      newExperiment({ name, project_id: project, status: status === "draft" ? "draft" : "running" })
    )
    return status === "completed" ? (yield* experiments.evaluate(account, created.id, metrics)).experiment : created
  })

/** An account with a growth project. */
export const owner = Effect.gen(function* () {
  const accounts = yield* Accounts
  const { id: account } = yield* accounts.create("owner", "agency_team")
  const { id: project } = yield* growthProject(account)
  return { account, project }
})

export const numbersOf = ({
  confidenceInterval,
  didEstimator,
  liftPercentage,
  pValue
}: Pick<Analysis, "confidenceInterval" | "didEstimator" | "liftPercentage" | "pValue">) => [
  didEstimator,
  liftPercentage,
  pValue,
  ...confidenceInterval
]
