import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Conflict, NotFound } from "../../foundation/schema/DomainError.ts"
import { unhurried } from "../../foundation/schema/Steps.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import type { ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import type { Experiment, ExperimentId, ExperimentPatch, ExperimentStatus, NewExperiment } from "./Domain.ts"
import { evaluated, notRunning, started } from "./design/Arms.ts"
import { Designs } from "./design/Designs.ts"
import { Verdicts } from "./design/Verdicts.ts"
import { ExperimentsRepo } from "./ExperimentsRepo.ts"
import { GrowthProjects, noSuchGrowthProject } from "./GrowthProjects.ts"
import { domainName, type GrowthProjectId } from "./GrowthProjectsApi.ts"
import { analysing } from "./statistics/Analyse.ts"
import { type ExperimentMetrics, metricsJson } from "./statistics/ExperimentMetrics.ts"

/** Filters of a list of experiments; an experiment must match all. */
interface Filters {
  readonly site: ProjectId | undefined
  readonly project: GrowthProjectId | undefined
  readonly status: ExperimentStatus | undefined
}

const missing = NotFound.of("experiment")

/** The experiments of an account: drafting, starting, evaluating. */
export class Experiments extends Effect.Service<Experiments>()("experiments/Experiments", {
  dependencies: [Designs.Default, ExperimentsRepo.Default, GrowthProjects.Default, Projects.Default, Verdicts.Default],
  effect: Effect.gen(function* () {
    const designs = yield* Designs
    const verdicts = yield* Verdicts
    const growthProjects = yield* GrowthProjects
    const projects = yield* Projects
    const repo = yield* ExperimentsRepo

    /** The account's experiment; a missing or foreign experiment gives one error. */
    const get = Traced.fn("Experiments.get")(function* (account: AccountId, id: ExperimentId) {
      return yield* Effect.mapError(Effect.flatten(repo.find({ account, id })), () => missing)
    })

    /** An experiment with its result. */
    const evaluatedOne = Traced.fn("Experiments.evaluated")(function* (account: AccountId, id: ExperimentId) {
      const experiment = yield* get(account, id)
      const { analysis, status } = experiment
      return analysis === null
        ? yield* new Conflict({ message: `The experiment is ${status} and has no result yet. Evaluate it first` })
        : { analysis, experiment }
    })

    /** The account of an experiment, for the administrator, who may act for every account. */
    const ownerOf = Traced.fn("Experiments.ownerOf")(function* (id: ExperimentId) {
      const { account } = yield* Effect.mapError(Effect.flatten(repo.owner(id)), () => missing)
      return account
    })

    const domainOf = (account: AccountId, site: ProjectId) =>
      Effect.map(projects.get(account, site), ({ host }) => Option.getOrUndefined(domainName(host)))

    /** Experiments that pass all filters, latest first; fails when a filter names something of another account. */
    const list = Traced.fn("Experiments.list")(function* (
      account: AccountId,
      { project, site, status }: Filters,
      { after, count }: Batch
    ) {
      if (project !== undefined) yield* growthProjects.get(account, project)
      const domain = site === undefined ? undefined : yield* domainOf(account, site)
      return yield* repo.list({ account, after, count, domain, project, status })
    })

    /** Creates an experiment on a growth project of the account; with a design it starts as a draft. */
    const create = Traced.fn("Experiments.create")(function* (
      account: AccountId,
      { design, ...experiment }: NewExperiment
    ) {
      const status = design === undefined ? experiment.status : "draft"
      const created = yield* Effect.mapError(
        Effect.flatten(repo.insert({ account, experiment: { ...experiment, status } })),
        () => noSuchGrowthProject
      )
      if (design === undefined) return created
      const drafted = yield* designs.set(account, created.id, design)
      return experiment.status === "running" ? yield* designs.start(account, created.id, false) : drafted
    }, repo.transaction)

    /** Starts a draft; only `force` starts a design that cannot give a result. */
    const start = Traced.fn("Experiments.start")(function* (account: AccountId, id: ExperimentId, force = false) {
      if (yield* designs.isDesigned(account, id)) return yield* designs.start(account, id, force)
      const running = yield* repo.start({ account, id })
      return Option.isSome(running) ? running.value : yield* started
    })

    /** Keeps one of several concurrent results. */
    const complete = Effect.fnUntraced(function* <A extends NonNullable<Experiment["analysis"]>>(
      account: AccountId,
      id: ExperimentId,
      analysis: A,
      metrics: Uint8Array
    ) {
      const completed = yield* repo.complete({ account, analysis, id, metrics })
      if (Option.isSome(completed)) return { analysis, experiment: completed.value }
      return yield* refused((yield* get(account, id)).status)
    })

    const refused = (status: ExperimentStatus) => (status === "completed" ? evaluated : notRunning)

    /** The response of an evaluation, with the unchanged experiment. */
    const tried = Effect.fnUntraced(function* <A>(account: AccountId, id: ExperimentId, analysis: A) {
      const experiment = yield* get(account, id)
      return experiment.status === "running" ? { analysis, experiment } : yield* refused(experiment.status)
    })

    /** Evaluates a running experiment and completes it: of concurrent evaluations one wins, the others fail. A trial changes nothing. */
    const evaluate = Traced.fn("Experiments.evaluate")(function* (
      account: AccountId,
      id: ExperimentId,
      metrics: ExperimentMetrics,
      isTrial = false
    ) {
      const { controlMetrics, pages, treatmentMetrics } = metrics
      const verdict = yield* unhurried(analysing(controlMetrics, treatmentMetrics, pages))
      const analysis = { ...verdict, counts: { control: controlMetrics, treatment: treatmentMetrics } }
      if (isTrial) return yield* tried(account, id, analysis)
      return yield* complete(account, id, analysis, yield* unhurried(metricsJson(metrics)))
    })

    /** Evaluates an experiment with a design, by its stored page totals. */
    const judge = Traced.fn("Experiments.judge")(function* (account: AccountId, id: ExperimentId, isTrial = false) {
      const { analysis, metrics } = yield* verdicts.evaluate(account, id)
      if (isTrial) return yield* tried(account, id, analysis)
      return yield* complete(account, id, analysis, metrics)
    })

    /** Changes a draft; a started experiment is fixed. */
    const patch = Traced.fn("Experiments.patch")(function* (
      account: AccountId,
      id: ExperimentId,
      { design, ...changes }: ExperimentPatch
    ) {
      const changed = yield* repo.change({ account, id, patch: changes })
      if (Option.isNone(changed)) {
        yield* get(account, id)
        return yield* new Conflict({ message: "The experiment was already started. Only a draft can be changed" })
      }
      return design === undefined ? changed.value : yield* designs.change(account, id, design)
    }, repo.transaction)

    /** Deletes a draft, or a completed experiment with its result. */
    const remove = Traced.fn("Experiments.remove")(function* (account: AccountId, id: ExperimentId) {
      if (Option.isSome(yield* repo.remove({ account, id }))) return
      yield* get(account, id)
      return yield* new Conflict({ message: "The experiment is running. Evaluate it first" })
    })

    return {
      assign: designs.assign,
      create,
      evaluate,
      evaluated: evaluatedOne,
      get,
      isDesigned: designs.isDesigned,
      judge,
      list,
      ownerOf,
      patch,
      power: verdicts.power,
      preview: verdicts.preview,
      remove,
      series: verdicts.series,
      start
    }
  })
}) {}
