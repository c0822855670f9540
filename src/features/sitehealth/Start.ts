import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Query from "../../foundation/database/Query.ts"
import { apiError, waitHeaders } from "../../foundation/http/ApiError.ts"
import { Invalid, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { Project, ProjectId } from "../projects/Domain.ts"
import { onSite } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import type { EffectiveRequest, Run, StartRun } from "./Domain.ts"
import { runSeconds } from "./Limits.ts"
import { StartRepo, type Usage, type VerifyRules } from "./StartRepo.ts"

/** How a start ended: a new run, the run of an earlier request with the same key, or an identical run that is in progress. */
export interface Started {
  readonly run: Run
  readonly how: "created" | "replayed" | "joined"
}

/** The request that an Idempotency-Key stands for: as it was sent, because the plan's limits may change. */
const fingerprint = (project: ProjectId, url: string, request: StartRun) =>
  JSON.stringify([
    project,
    url,
    request.max_pages ?? null,
    request.check_dead_links,
    request.check_external_links ?? false
  ])

/** Where a run starts: on the project's host, its root by default. */
export const startUrl = (project: Project, asked: string | undefined) =>
  Option.match(onSite(project, asked ?? project.url), {
    onNone: () => Invalid.of("url", `must be an http or https URL on ${project.host} (www. is ignored)`),
    onSome: (url) => {
      url.hash = ""
      return Effect.succeed(url.href)
    }
  })

const exceeded = (message: string, limit: number, wait: number) =>
  apiError("quota_exceeded", message, { headers: waitHeaders(limit, wait) })

const withinQuotas = (usage: Usage) => {
  if (usage.inProgress >= usage.atOnceLimit) {
    return exceeded(
      `${usage.inProgress} runs are in progress, the plan allows ${usage.atOnceLimit}`,
      usage.atOnceLimit,
      usage.inProgressWait
    )
  }
  return usage.startedThisHour >= usage.hourlyLimit
    ? exceeded(
        `${usage.startedThisHour} runs were started within an hour, the plan allows ${usage.hourlyLimit}`,
        usage.hourlyLimit,
        usage.hourlyWait
      )
    : Effect.void
}

const conflict = apiError("idempotency_conflict", "The Idempotency-Key was used with a different request")

/** The run was removed since it was read. */
const removed = NotFound.of("run")

/** Starting runs: one transaction an account at a time, so that retries and races start nothing twice. */
export class Start extends Effect.Service<Start>()("sitehealth/Start", {
  dependencies: [Projects.Default, StartRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const projects = yield* Projects
    const repo = yield* StartRepo

    const replay = Effect.fnUntraced(function* (account: AccountId, key: string | undefined, request: string) {
      if (key === undefined) return Option.none<Run>()
      const known = yield* repo.findKey({ account, key })
      if (Option.isNone(known)) return Option.none<Run>()
      if (known.value.request !== request || !known.value.isOfRun) return yield* conflict
      return Option.fromNullable(known.value.run)
    })

    /** A new run, within the quotas. */
    const create = Effect.fnUntraced(function* (
      account: AccountId,
      project: ProjectId,
      request: EffectiveRequest,
      rules: VerifyRules
    ) {
      // Under the account's lock: a project that was deleted since it was looked up gets no run.
      yield* projects.own(account, project)
      if (request.verify !== null) yield* Effect.mapError(Effect.flatten(repo.hold(request.verify)), () => removed)
      yield* withinQuotas(yield* repo.usage({ account, runSeconds }))
      return { how: "created", run: yield* repo.insert({ account, project, request, rules }) } satisfies Started
    })

    /** A run that is in progress already, or a new one. */
    const joinOrCreate = Effect.fnUntraced(function* (
      account: AccountId,
      project: ProjectId,
      request: EffectiveRequest
    ) {
      const running = yield* repo.inFlight({ account, project, request })
      if (Option.isSome(running)) return { how: "joined", run: running.value } satisfies Started
      return yield* create(account, project, request, null)
    })

    /** Starts the request `text` by `begin`, once for each key; `begin` gets the plan's page limit. */
    const once = Effect.fnUntraced(function* <E>(
      account: AccountId,
      key: string | undefined,
      text: string,
      begin: (pages: number) => Effect.Effect<Started, E>
    ) {
      // A key never changes its run, so a replay needs neither lock nor transaction.
      const known = yield* replay(account, key, text)
      if (Option.isSome(known)) return { how: "replayed", run: known.value } satisfies Started
      return yield* Effect.gen(function* () {
        const { pages } = yield* repo.lockAccount(account)
        const replayed = yield* replay(account, key, text)
        if (Option.isSome(replayed)) return { how: "replayed", run: replayed.value } satisfies Started
        const started = yield* begin(pages)
        if (key !== undefined) {
          const kept = yield* repo.keep({ account, key, request: text, run: started.run.id })
          if (Option.isNone(kept)) return yield* conflict
        }
        if (started.how === "created") yield* repo.wakeWorkers
        return started
      }).pipe(Query.transaction(sql))
    })

    const start = Traced.fn("Start.start")(function* (
      account: AccountId,
      id: ProjectId,
      request: StartRun,
      key: string | undefined
    ) {
      const project = yield* projects.get(account, id)
      const url = yield* startUrl(project, request.url)
      return yield* once(account, key, fingerprint(id, url, request), (pages) => {
        const max_pages = Math.min(request.max_pages ?? pages, pages)
        const { check_dead_links, check_external_links = false } = request
        return joinOrCreate(account, id, { check_dead_links, check_external_links, max_pages, url, verify: null })
      })
    })

    /** Verifies the faults of a run that has a result. It never joins a running one, because the result must reflect the site after this request. */
    const verify = Traced.fn("Start.verify")(function* (
      account: AccountId,
      { id, project_id, request: { check_dead_links, check_external_links, url } }: Run,
      rules: VerifyRules,
      key: string | undefined
    ) {
      return yield* once(account, key, JSON.stringify(["verify", id, rules]), (max_pages) =>
        create(account, project_id, { check_dead_links, check_external_links, max_pages, url, verify: id }, rules)
      )
    })

    return { start, verify }
  })
}) {}
