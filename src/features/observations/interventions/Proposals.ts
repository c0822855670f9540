import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Outbound } from "../../../foundation/outbound/Outbound.ts"
import { Conflict, Invalid, NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Project, ProjectId } from "../../projects/Domain.ts"
import { OwnersRepo } from "../../projects/OwnersRepo.ts"
import { Projects } from "../../projects/Projects.ts"
import { Results } from "../../sitehealth/results/Results.ts"
import { startUrl } from "../../sitehealth/Start.ts"
import { Credentials } from "./connectors/Credentials.ts"
import type { NewRecord } from "./Domain.ts"
import * as GitHubPlan from "./github/Plan.ts"
import { Repositories } from "./github/Repositories.ts"
import { Interventions } from "./Interventions.ts"
import type { NewFinding, NewGitHub, NewIntervention, NewWordPress } from "./Payloads.ts"
import { InterventionsRepo, type Proposed } from "./Repo.ts"
import * as WordPressPlan from "./wordpress/Plan.ts"
import * as WordPress from "./wordpress/WordPress.ts"

/** Changes of a project that may be under way: each is looked at every few minutes. */
const openAtMost = 100

/** What is to be stored of a request, after the other side was asked. */
export type Planned =
  | { readonly _tag: "Recorded"; readonly record: NewRecord }
  | { readonly _tag: "Proposed"; readonly proposed: Omit<Proposed, "project"> }

const gone = NotFound.of("project")

/** New interventions: what they are based on is read before anything is stored, and nothing is written there yet. */
export class Proposals extends Effect.Service<Proposals>()("interventions/Proposals", {
  dependencies: [
    Credentials.Default,
    Interventions.Default,
    InterventionsRepo.Default,
    OwnersRepo.Default,
    Projects.Default,
    Repositories.Default,
    Results.Default
  ],
  effect: Effect.gen(function* () {
    const credentials = yield* Credentials
    const interventions = yield* Interventions
    const outbound = yield* Outbound
    const owners = yield* OwnersRepo
    const projects = yield* Projects
    const repo = yield* InterventionsRepo
    const repositories = yield* Repositories
    const results = yield* Results

    /** The finding as the project's run has it. */
    const known = Effect.fnUntraced(function* (account: AccountId, project: ProjectId, finding: NewFinding) {
      const { result, run } = yield* results.get(account, finding.run)
      if (run.value.project_id !== project) return yield* NotFound.of("run of this project")
      if (run.value.request.verify !== null)
        return yield* Invalid.of("finding.run", "must not be a run that verifies another")
      const fails = result.findings.find(({ rule, status }) => rule === finding.rule && status === "fail")
      if (fails === undefined) return yield* Invalid.of("finding.rule", "does not fail in that run")
      if (!fails.pages.includes(finding.url))
        return yield* Invalid.of("finding.url", "is not a page on which the rule fails in that run")
      return finding
    })

    const ofGitHub = Effect.fnUntraced(function* (account: AccountId, project: Project, payload: NewGitHub) {
      const finding = payload.finding === undefined ? null : yield* known(account, project.id, payload.finding)
      const url = yield* startUrl(project, payload.url ?? finding?.url)
      const repository = yield* repositories.of(project.id, payload.repo)
      const state = yield* GitHubPlan.plan(payload, repository)
      return { connector: "github", finding, github: state, summary: payload.summary, url, wordpress: null } as const
    })

    const ofWordPress = Effect.fnUntraced(function* (account: AccountId, project: Project, payload: NewWordPress) {
      const finding = payload.finding === undefined ? null : yield* known(account, project.id, payload.finding)
      const access = yield* credentials.wordpress(project.id)
      const site = yield* Effect.provideService(WordPress.make(access, payload), Outbound, outbound)
      const state = yield* WordPressPlan.plan(project, payload, site)
      const summary = payload.summary ?? WordPressPlan.summaryOf(state)
      return { connector: "wordpress", finding, github: null, summary, url: state.link, wordpress: state } as const
    })

    const planned = Effect.fnUntraced(function* (account: AccountId, id: ProjectId, payload: NewIntervention) {
      const project = yield* projects.get(account, id)
      if (payload.connector === "recorded") {
        const { deployed_at, summary, system, url } = payload
        const deployedAt = deployed_at ?? (yield* DateTime.now)
        const record = { connector: system ?? "recorded", deployedAt, project: id, summary, url }
        return { _tag: "Recorded", record } satisfies Planned
      }
      const by =
        payload.connector === "github" ? ofGitHub(account, project, payload) : ofWordPress(account, project, payload)
      return { _tag: "Proposed", proposed: yield* by } satisfies Planned
    })

    /** Reads what a change is based on. A refusal of the other side is the answer, and nothing is stored or written. */
    const plan = Traced.fn("Proposals.plan")(function* (account: AccountId, id: ProjectId, payload: NewIntervention) {
      return yield* planned(account, id, payload).pipe(
        Effect.catchTags({
          GitHubFailed: GitHubPlan.refusalOf,
          NotConnected: ({ message }) => new Conflict({ message })
        })
      )
    })

    /** Stores a change; the project is locked, so that concurrent requests cannot pass the limit. */
    const store = Traced.fn("Proposals.store")(function* (account: AccountId, id: ProjectId, plan: Planned) {
      yield* Effect.mapError(owners.hold(id), () => gone)
      const project = yield* projects.own(account, id)
      if (plan._tag === "Recorded") {
        const { id } = yield* Effect.mapError(interventions.deploy(plan.record), () => gone)
        return yield* interventions.get(account, project.id, id)
      }
      if ((yield* repo.open(project)).count >= openAtMost)
        return yield* Invalid.of("body", `the project has ${openAtMost} interventions under way, which is the limit`)
      const made = yield* repo.propose({ ...plan.proposed, project })
      return yield* interventions.get(account, project.id, made.id)
    }, repo.transaction)

    return { plan, store }
  })
}) {}
