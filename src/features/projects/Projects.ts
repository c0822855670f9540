import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { Invalid, NotFound, Refused } from "../../foundation/schema/DomainError.ts"
import { bareHost } from "../../foundation/schema/Scalars.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { invocation } from "../../foundation/terminal/Terminal.ts"
import { fold } from "../../foundation/text/Words.ts"
import { LockRepo } from "../accounts/Accounts.ts"
import { AccountId, Plan, projectsAtMost } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { Owned, OwnedId } from "../accounts/Owned.ts"
import { type NewProject, Project, ProjectId, type ProjectPatch, siteOf } from "./Domain.ts"

/** A command's message for an ID without a site. */
export const unknownSite = (id: ProjectId) =>
  `There is no site ${id}. Run \`${invocation} projects list\` to see the IDs`

/** The owners of projects. */
export class OwnersRepo extends Effect.Service<OwnersRepo>()("projects/OwnersRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const hold = Query.first({
      Request: ProjectId,
      Result: Schema.Struct({ account: AccountId }),
      execute: (id) =>
        sql`SELECT account_id AS account FROM projects WHERE id = ${id} AND account_id IS NOT NULL FOR NO KEY UPDATE`
    })
    const known = (project: ProjectId) =>
      Effect.mapBoth(Effect.flatten(hold(project)), {
        onFailure: () => new Refused({ message: unknownSite(project) }),
        onSuccess: ({ account }) => account
      })
    const all = Query.all({
      Request: Schema.Struct({ account: Schema.NullOr(AccountId) }),
      Result: Schema.Struct({ ...Project.fields, account_id: AccountId }),
      execute: ({ account }) => sql`
        SELECT id, name, url, host, brand_terms, iso(created_at) AS created_at, account_id FROM projects
        WHERE account_id IS NOT NULL AND account_id = coalesce(${account}, account_id) ORDER BY projects.created_at, id`
    })
    return {
      /** All projects, of one account or of all, the oldest first. */
      all,
      /** The account of a project. Locks the project's row, because an observation is compared with the previous one, so two must not run concurrently. */
      hold: known,
      transaction: Query.transaction(sql)
    }
  })
}) {}

export class ProjectsRepo extends Effect.Service<ProjectsRepo>()("projects/ProjectsRepo", {
  dependencies: [LockRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("id, name, url, host, brand_terms, iso(created_at) AS created_at")

    const list = Query.oldestFirst(sql, {
      Request: Schema.Struct({ account: AccountId }),
      Result: Project,
      table: "projects",
      rows: ({ account }) => sql`SELECT ${columns} FROM projects WHERE account_id = ${account}`
    })

    const find = Query.first({
      Request: Schema.Struct({ account: AccountId, id: ProjectId }),
      Result: Project,
      execute: ({ account, id }) => sql`SELECT ${columns} FROM projects WHERE id = ${id} AND account_id = ${account}`
    })

    const { lockAccount } = yield* LockRepo

    /** The account's oldest project of one of the hosts. */
    const ofHosts = Query.first({
      Request: Schema.Struct({ account: AccountId, hosts: Schema.Array(Schema.String) }),
      Result: Project,
      execute: ({ account, hosts }) => sql`
        SELECT ${columns} FROM projects WHERE account_id = ${account} AND host = ANY(${hosts}::text[])
        ORDER BY projects.created_at, id LIMIT 1`
    })

    /** The plan of an account and its number of projects; no row without the account. */
    const usage = Query.first({
      Request: AccountId,
      Result: Schema.Struct({ plan: Plan, projects: Schema.Int }),
      execute: (account) => sql`
        SELECT plan, (SELECT count(*)::int FROM projects WHERE account_id = accounts.id) AS projects
        FROM accounts WHERE id = ${account}`
    })

    /** Returns no row when the account does not exist. */
    const insert = Query.first({
      Request: Schema.Struct({ account: AccountId, host: Schema.String, name: Schema.String, url: Schema.String }),
      Result: Project,
      execute: ({ account, host, name, url }) => sql`
        INSERT INTO projects (account_id, host, name, url)
        SELECT id, ${host}, ${name}, ${url} FROM accounts WHERE id = ${account} RETURNING ${columns}`
    })

    /** Null leaves a field unchanged; `folded` has the terms in the form for comparing with queries. */
    const change = Query.first({
      Request: Schema.Struct({
        brand: Schema.NullOr(Schema.Array(Schema.String)),
        folded: Schema.NullOr(Schema.Array(Schema.String)),
        name: Schema.NullOr(Schema.String),
        project: OwnedId(ProjectId)
      }),
      Result: Project,
      execute: ({ brand, folded, name, project }) => sql`
        UPDATE projects SET name = coalesce(${name}, name), brand_terms = coalesce(${brand}::text[], brand_terms),
          brand_folded = coalesce(${folded}::text[], brand_folded)
        WHERE id = ${project} RETURNING ${columns}`
    })

    /** Removes the project from its account. A trigger deletes its parts immediately, and a worker deletes its search data in the background. */
    const abandon = Query.first({
      Request: Schema.Struct({ account: AccountId, id: ProjectId }),
      Result: Schema.Struct({ id: ProjectId }),
      execute: ({ account, id }) =>
        sql`UPDATE projects SET account_id = NULL WHERE id = ${id} AND account_id = ${account} RETURNING id`
    })

    return {
      abandon,
      change,
      list,
      find,
      insert,
      lockAccount,
      ofHosts,
      transaction: Query.transaction(sql),
      usage
    }
  })
}) {}

const noAccount = NotFound.of("account")

/** The hosts of projects for a URL, with and without `www.`. */
const hostsOf = (url: string): ReadonlyArray<string> =>
  Option.match(siteOf(url), {
    onNone: () => [],
    onSome: ({ host }) => [bareHost(host), `www.${bareHost(host)}`]
  })

/** The sites of an account. */
export class Projects extends Effect.Service<Projects>()("projects/Projects", {
  dependencies: [ProjectsRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* ProjectsRepo

    /** The account's project with the proof of ownership. */
    const own = Owned.by(repo.find, "site")

    /** The account's project; fails alike for a missing project and for another account's. */
    const get = (account: AccountId, id: ProjectId) => Effect.map(own(account, id), ({ value }) => value)

    /** The host of a project for comparison with URLs, without `www.`; none without a project. */
    const hostOf = Effect.fnUntraced(function* (account: AccountId, id: ProjectId | undefined) {
      if (id === undefined) return undefined
      const { host } = yield* get(account, id)
      return bareHost(host)
    })

    const list = (account: AccountId, batch: Batch) => repo.list({ account, ...batch })

    /**
     * Fails when the account's projects have reached the plan's limit. Runs under the account's lock, so concurrent requests cannot exceed the limit together.
     */
    const withinPlan = Effect.fnUntraced(function* (account: AccountId) {
      const { plan, projects } = yield* Effect.mapError(Effect.flatten(repo.usage(account)), () => noAccount)
      const most = projectsAtMost[plan]
      if (projects < most) return
      return yield* Invalid.of(
        "body",
        `The account has ${projects} sites, and its plan (${plan}) allows ${most}: delete one, or ask the administrator to add it`
      )
    })

    const findOrMake = Effect.fnUntraced(function* <E>(
      account: AccountId,
      { name, url }: NewProject,
      mayMake: Effect.Effect<void, E>
    ) {
      const site = Option.getOrThrow(siteOf(url))
      yield* repo.lockAccount(account)
      const known = yield* repo.ofHosts({ account, hosts: hostsOf(url) })
      if (Option.isSome(known)) return { existing: true, project: known.value }
      yield* mayMake
      const project = yield* Effect.mapError(
        Effect.flatten(repo.insert({ account, host: site.host, name: name ?? site.host, url: site.url })),
        () => noAccount
      )
      return { existing: false, project }
    }, repo.transaction)

    /** Whether the account has a project with the URL's host. */
    const has = (account: AccountId, url: string) =>
      Effect.map(repo.ofHosts({ account, hosts: hostsOf(url) }), Option.isSome)

    /** The project of a URL. Without a project of its host, one is created within the limit of the plan; the default name is the host. */
    const ensure = Traced.fn("Projects.ensure")(function* (account: AccountId, site: NewProject) {
      return yield* findOrMake(account, site, withinPlan(account))
    })

    /** Creates a project for an administrator, without the limit of the plan. */
    const create = Traced.fn("Projects.create")(function* (account: AccountId, site: NewProject) {
      return (yield* findOrMake(account, site, Effect.void)).project
    })

    /** Updates the fields sent; duplicate terms are merged. */
    const patch = Traced.fn("Projects.patch")(function* (
      account: AccountId,
      id: ProjectId,
      { brand_terms, name }: ProjectPatch
    ) {
      const project = yield* own(account, id)
      const brand = brand_terms === undefined ? null : [...new Set(brand_terms)]
      const changed = repo.change({ brand, folded: brand?.map(fold) ?? null, name: name ?? null, project })
      return yield* Effect.mapError(Effect.flatten(changed), () => NotFound.of("site"))
    })

    /**
     * Deletes a project with all its parts. Idempotency keys and the hourly quota stay, so a deletion resets no limit. Events, audits, experiments and webhooks
     * stay too, because they are the account's. Every start of work for a project takes the account's lock as well.
     */
    const remove = Traced.fn("Projects.remove")(function* (account: AccountId, id: ProjectId) {
      yield* repo.lockAccount(account)
      yield* Effect.mapError(Effect.flatten(repo.abandon({ account, id })), () => NotFound.of("site"))
    }, repo.transaction)

    return { create, ensure, get, has, hostOf, list, own, patch, remove }
  })
}) {}
