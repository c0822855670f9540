import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { apiError } from "../../foundation/http/ApiError.ts"
import { Outbound } from "../../foundation/outbound/Outbound.ts"
import { Conflict, Invalid, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { Owned } from "../accounts/Owned.ts"
import type { Project, ProjectId } from "../projects/Domain.ts"
import { OwnersRepo, Projects } from "../projects/Projects.ts"
import { Results } from "../sitehealth/results/Results.ts"
import { startUrl } from "../sitehealth/Start.ts"
import { Credentials } from "./Connectors.ts"
import type {
  Intervention,
  InterventionId,
  NewFinding,
  NewGitHub,
  NewIntervention,
  NewRecord,
  NewWordPress,
  RollBack,
  Status
} from "./Domain.ts"
import { type GitHubFailed, isTooLarge, pullOf, textOf } from "./GitHub.ts"
import {
  type GitHubState,
  Interventions,
  InterventionsRepo,
  type Proposed,
  revertBranchOf,
  type WordPressState
} from "./Interventions.ts"
import { Repositories, type Repository } from "./Repository.ts"
import * as WordPress from "./WordPress.ts"

/** Seconds until a caller may retry after GitHub did not answer. */
const soon = 30

/** Fails with the caller's error for a failed GitHub request. */
const refusalOf = ({ isPassing, kind, message, until }: GitHubFailed) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const wait = kind === "limited" ? Math.max(1, Math.ceil((until - now) / 1000)) : soon
    const advice = kind === "unauthorised" ? ". Connect the site again with a valid token" : ""
    return Effect.fail(
      isPassing
        ? apiError<"service_unavailable">("service_unavailable", message, { headers: { "retry-after": String(wait) } })
        : kind === "moved"
          ? Invalid.of("repo", message)
          : new Conflict({ message: `${message}${advice}` })
    )
  })

/** Reads the base of a change, and writes nothing: the files must be as the caller expects, or the change is refused. */
const planChange = Effect.fnUntraced(function* (payload: NewGitHub, repository: Repository) {
  const missing = (path: string, message: string) => (error: GitHubFailed) =>
    error.kind === "missing" ? Effect.fail(Invalid.of(path, message)) : refusalOf(error)
  const about = yield* Effect.catchAll(
    repository.about,
    missing("repo", "GitHub finds no such repository. Check the name, and that the token can read it")
  )
  if (about.archived === true)
    return yield* new Conflict({ message: "The repository is archived and cannot be changed" })
  const base = payload.base ?? about.default_branch
  const base_sha = yield* Effect.catchAll(repository.head(base), missing("base", "is not a branch of the repository"))
  for (const [index, { content, expected_sha, path }] of payload.changes.entries()) {
    const file = yield* Effect.catchAll(repository.file(path, base_sha), refusalOf)
    if ((file?.sha ?? null) !== expected_sha) {
      const is = file === null ? "does not exist" : `is ${file.sha}`
      return yield* new Conflict({
        message: `${path} ${is} on ${base}, not the expected version. Nothing was written. Read the file again and update expected_sha`
      })
    }
    if (file === null) continue
    if (isTooLarge(file))
      return yield* Invalid.of(`changes.${index}.path`, "is larger than 1 MB, too large to roll back")
    if (textOf(file) === content)
      return yield* Invalid.of(`changes.${index}.content`, "equals the file's current content")
  }
  return {
    base,
    base_sha,
    changes: payload.changes,
    pull: null,
    repo: payload.repo,
    revert: null,
    written: []
  } satisfies GitHubState
})

/** The commit of the base that still has every file of the change; refused if a file differs. */
const planRevert = ({ base, written }: GitHubState, repository: Repository) =>
  Effect.gen(function* () {
    const head = yield* repository.head(base)
    for (const { path, sha } of written) {
      const file = yield* repository.file(path, head)
      if (file?.sha !== sha) return yield* new Conflict({ message: `${path} was changed since. Nothing was written` })
    }
    return head
  }).pipe(Effect.catchTag("GitHubFailed", refusalOf))

/** Maximum open changes of a site: each is checked every few minutes. */
const openAtMost = 100

/** The data to store for a request, after asking the other side. */
export type Planned =
  | { readonly _tag: "Recorded"; readonly record: NewRecord }
  | { readonly _tag: "Proposed"; readonly proposed: Omit<Proposed, "project"> }

const gone = NotFound.of("site")

/** Proposes interventions: reads their base before storing anything, and writes nothing to GitHub or WordPress yet. */
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

    /** The issue in the site's crawl. */
    const known = Effect.fnUntraced(function* (account: AccountId, project: ProjectId, finding: NewFinding) {
      const { result, run } = yield* results.get(account, finding.run)
      if (run.value.project_id !== project) return yield* NotFound.of("crawl of this site")
      if (run.value.request.verify !== null) return yield* Invalid.of("finding.run", "must not be a recheck")
      const fails = result.findings.find(({ rule, status }) => rule === finding.rule && status === "fail")
      if (fails === undefined) return yield* Invalid.of("finding.rule", "has no issue in that crawl")
      if (!fails.pages.includes(finding.url))
        return yield* Invalid.of("finding.url", "is not a URL with this issue in that crawl")
      return finding
    })

    const ofGitHub = Effect.fnUntraced(function* (account: AccountId, project: Project, payload: NewGitHub) {
      const finding = payload.finding === undefined ? null : yield* known(account, project.id, payload.finding)
      const url = yield* startUrl(project, payload.url ?? finding?.url)
      const repository = yield* repositories.of(project.id, payload.repo)
      const state = yield* planChange(payload, repository)
      return { connector: "github", finding, github: state, summary: payload.summary, url, wordpress: null } as const
    })

    const ofWordPress = Effect.fnUntraced(function* (account: AccountId, project: Project, payload: NewWordPress) {
      const finding = payload.finding === undefined ? null : yield* known(account, project.id, payload.finding)
      const access = yield* credentials.wordpress(project.id)
      const site = yield* Effect.provideService(WordPress.make(access, payload), Outbound, outbound)
      const state = yield* WordPress.plan(project, payload, site)
      const summary = payload.summary ?? WordPress.summaryOf(state)
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

    /** Reads the base of a change. If the other side refuses, so does this, and nothing is stored or written. */
    const plan = Traced.fn("Proposals.plan")(function* (account: AccountId, id: ProjectId, payload: NewIntervention) {
      return yield* planned(account, id, payload).pipe(
        Effect.catchTags({
          GitHubFailed: refusalOf,
          NotConnected: ({ message }) => new Conflict({ message })
        })
      )
    })

    /** Stores a change; the site is locked, so concurrent requests cannot exceed the limit. */
    const store = Traced.fn("Proposals.store")(function* (account: AccountId, id: ProjectId, plan: Planned) {
      yield* Effect.mapError(owners.hold(id), () => gone)
      const project = yield* projects.own(account, id)
      if (plan._tag === "Recorded") {
        const { id } = yield* Effect.mapError(interventions.deploy(plan.record), () => gone)
        return yield* interventions.get(account, project.id, id)
      }
      if ((yield* repo.open(project)).count >= openAtMost)
        return yield* Invalid.of(
          "body",
          `The site has ${openAtMost} changes in progress, which is the limit: finish or roll back one first`
        )
      const made = yield* repo.propose({ ...plan.proposed, project })
      return yield* interventions.get(account, project.id, made.id)
    }, repo.transaction)

    return { plan, store }
  })
}) {}

/** States with a possible rollback. */
const open: ReadonlySet<Status> = new Set(["proposed", "merged", "deployed", "not_verified", "conflict"])

/** Wait of a rollback for a worker's turn on the change, in milliseconds. */
const patience = { every: 200, times: 100 }

const nothingLeft = (status: Status) =>
  new Conflict({ message: `The change is ${status}, so there is nothing to roll back` })

/** Rolls changes back: reads the other side first, and does nothing if its content is not the change's. */
export class Rollbacks extends Effect.Service<Rollbacks>()("interventions/Rollbacks", {
  dependencies: [Credentials.Default, Interventions.Default, InterventionsRepo.Default, Repositories.Default],
  effect: Effect.gen(function* () {
    const credentials = yield* Credentials
    const interventions = yield* Interventions
    const outbound = yield* Outbound
    const repo = yield* InterventionsRepo
    const repositories = yield* Repositories

    /** For a merged pull request, the commit that still has the change's files. If an earlier rollback is in doubt, its pull request may exist by now. */
    const planOf = Effect.fnUntraced(function* (
      project: ProjectId,
      id: InterventionId,
      from: Status,
      state: GitHubState
    ) {
      const doubtful = from === "conflict" ? state.revert : null
      if (from === "proposed" || (from === "conflict" && doubtful === null)) return { ...state, revert: null }
      const repository = yield* repositories.of(project, state.repo)
      const earlier = doubtful === null ? null : yield* repository.pullOf(revertBranchOf(id, doubtful.number))
      if (doubtful !== null && earlier !== null) return { ...state, revert: { ...doubtful, pull: pullOf(earlier) } }
      const base_sha = yield* planRevert(state, repository)
      const number = (state.revert?.number ?? 0) + 1
      return { ...state, revert: { base_sha, from: doubtful?.from ?? from, number, pull: null } }
    })

    const judged = Effect.fnUntraced(function* (project: ProjectId, from: Status, state: WordPressState) {
      const access = yield* credentials.wordpress(project)
      const site = yield* Effect.provideService(WordPress.make(access, state), Outbound, outbound)
      const { post } = yield* Effect.mapError(site.read, WordPress.refusalOf)
      // A change that was never seen on the site may not have been written.
      const sides = from === "deployed" || from === "merged" ? (["after"] as const) : (["after", "before"] as const)
      const unlike = WordPress.unlikeOf(state, post, sides)
      if (unlike !== undefined) return yield* new Conflict({ message: `${unlike}. Nothing was written` })
    })

    const begin = Effect.fnUntraced(function* (intervention: Owned<Intervention>, reason: string | null) {
      const { id, project_id, status: from } = intervention.value
      const states = Option.getOrThrow(yield* repo.stateOf(intervention))
      if (from === "conflict" && !states.isSent) return yield* nothingLeft(from)
      const github = states.github === null ? null : yield* planOf(project_id, id, from, states.github)
      if (states.wordpress !== null) yield* judged(project_id, from, states.wordpress)
      return yield* repo.begin({ from, github, id: intervention, reason })
    })

    /** Records the rollback of a recorded change. */
    const recorded = Effect.fnUntraced(function* (
      id: InterventionId,
      { reason = null, rolled_back_at }: Pick<RollBack, "rolled_back_at"> & { readonly reason?: string | null }
    ) {
      const rolledBackAt = rolled_back_at ?? (yield* DateTime.now)
      yield* Effect.mapError(
        interventions.rollBack({ id, reason, rolledBackAt }),
        ({ message }) => new Conflict({ message })
      )
    })

    const attempt = Effect.fnUntraced(function* (
      account: AccountId,
      project: ProjectId,
      id: InterventionId,
      request: RollBack
    ) {
      const intervention = yield* interventions.own(account, project, id)
      const { connector, status } = intervention.value
      if (connector === "recorded") return Option.some(yield* recorded(id, request))
      if (request.rolled_back_at !== undefined)
        return yield* Invalid.of("rolled_back_at", "is only allowed for recorded changes")
      if (status === "rolling_back") return Option.some(undefined)
      if (!open.has(status))
        return yield* status === "rolled_back"
          ? new Conflict({ message: "The change has already been rolled back" })
          : nothingLeft(status)
      return Option.map(yield* begin(intervention, request.reason ?? null), () => undefined)
    })

    /** Begins a rollback, or records the rollback of a recorded change; a running rollback continues. */
    const rollBack = Traced.fn("Rollbacks.rollBack")(
      function* (account: AccountId, project: ProjectId, id: InterventionId, request: RollBack) {
        for (let tries = 0; tries < patience.times; tries++) {
          const begun = yield* attempt(account, project, id, request)
          if (Option.isSome(begun)) return
          yield* Effect.sleep(patience.every)
        }
        return yield* new Conflict({ message: "The change is being processed. Try again in a minute" })
      },
      Effect.catchTags({
        GitHubFailed: refusalOf,
        NotConnected: ({ message }) => new Conflict({ message })
      })
    )

    return { rollBack }
  })
}) {}
