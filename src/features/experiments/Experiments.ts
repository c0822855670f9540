import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Conflict, NotFound } from "../../foundation/schema/DomainError.ts"
import { unhurried } from "../../foundation/schema/Steps.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import type { ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import type { ExperimentId, ExperimentPatch, ExperimentStatus, NewExperiment } from "./Domain.ts"
import { domainName, type GrowthProjectId } from "./GrowthProject.ts"
import { GrowthProjects, noSuchGrowthProject } from "./GrowthProjects.ts"
import { ExperimentsRepo } from "./Repo.ts"
import { analysing } from "./statistics/Analyse.ts"
import { type ExperimentMetrics, metricsJson } from "./statistics/ExperimentMetrics.ts"

/** Filters of a list of experiments; all of them must match. */
interface Filters {
  readonly site: ProjectId | undefined
  readonly project: GrowthProjectId | undefined
  readonly status: ExperimentStatus | undefined
}

const missing = NotFound.of("experiment")

/** The experiments of an account: drafting, starting, evaluating. */
export class Experiments extends Effect.Service<Experiments>()("experiments/Experiments", {
  dependencies: [ExperimentsRepo.Default, GrowthProjects.Default, Projects.Default],
  effect: Effect.gen(function* () {
    const growthProjects = yield* GrowthProjects
    const projects = yield* Projects
    const repo = yield* ExperimentsRepo

    /** The account's experiment; the same error when it is missing or another account's. */
    const get = Traced.fn("Experiments.get")(function* (account: AccountId, id: ExperimentId) {
      return yield* Effect.mapError(Effect.flatten(repo.find({ account, id })), () => missing)
    })

    /** The account of an experiment, for the operator, who may act for every account. */
    const ownerOf = Traced.fn("Experiments.ownerOf")(function* (id: ExperimentId) {
      const { account } = yield* Effect.mapError(Effect.flatten(repo.owner(id)), () => missing)
      return account
    })

    const domainOf = (account: AccountId, site: ProjectId) =>
      Effect.map(projects.get(account, site), ({ host }) => Option.getOrUndefined(domainName(host)))

    /** Experiments that pass all filters, newest first; fails when a filter names something of another account. */
    const list = Traced.fn("Experiments.list")(function* (
      account: AccountId,
      { project, site, status }: Filters,
      { after, count }: Batch
    ) {
      if (project !== undefined) yield* growthProjects.get(account, project)
      const domain = site === undefined ? undefined : yield* domainOf(account, site)
      return yield* repo.list({ account, after, count, domain, project, status })
    })

    /** Creates an experiment on a growth project of the account. */
    const create = Traced.fn("Experiments.create")(function* (account: AccountId, experiment: NewExperiment) {
      return yield* Effect.mapError(Effect.flatten(repo.insert({ account, experiment })), () => noSuchGrowthProject)
    })

    /** Starts a draft. */
    const start = Traced.fn("Experiments.start")(function* (account: AccountId, id: ExperimentId) {
      const started = yield* repo.start({ account, id })
      if (Option.isSome(started)) return started.value
      yield* get(account, id)
      return yield* new Conflict({ message: "The experiment has already been started" })
    })

    /** Judges a running experiment and completes it once: of concurrent evaluations one wins, the others fail. */
    const evaluate = Traced.fn("Experiments.evaluate")(function* (
      account: AccountId,
      id: ExperimentId,
      metrics: ExperimentMetrics
    ) {
      const { controlMetrics, pages, treatmentMetrics } = metrics
      const analysis = yield* unhurried(analysing(controlMetrics, treatmentMetrics, pages))
      const completed = yield* repo.complete({ account, analysis, id, metrics: yield* unhurried(metricsJson(metrics)) })
      if (Option.isSome(completed)) return { analysis, experiment: completed.value }
      const { status } = yield* get(account, id)
      return yield* new Conflict({
        message:
          status === "completed"
            ? "The experiment has already been evaluated"
            : "The experiment is not running: start it first"
      })
    })

    /** Changes a draft: what an experiment claims stands once it runs. */
    const patch = Traced.fn("Experiments.patch")(function* (
      account: AccountId,
      id: ExperimentId,
      changes: ExperimentPatch
    ) {
      const changed = yield* repo.change({ account, id, patch: changes })
      if (Option.isSome(changed)) return changed.value
      yield* get(account, id)
      return yield* new Conflict({ message: "The experiment has been started: only a draft can be changed" })
    })

    /** Deletes a draft, or a completed experiment with its verdict. */
    const remove = Traced.fn("Experiments.remove")(function* (account: AccountId, id: ExperimentId) {
      if (Option.isSome(yield* repo.remove({ account, id }))) return
      yield* get(account, id)
      return yield* new Conflict({ message: "The experiment is running: evaluate it first" })
    })

    return { create, evaluate, get, list, ownerOf, patch, remove, start }
  })
}) {}
