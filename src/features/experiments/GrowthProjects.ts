import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { Conflict, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { AccountId } from "../accounts/Domain.ts"
import { answer, type Batch, forCaller, listPage, whole } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/Idempotency.ts"
import {
  type DomainName,
  GrowthProject,
  GrowthProjectId,
  type GrowthProjectPatch,
  GrowthProjectResource,
  GrowthProjectsApi
} from "./GrowthProjectsApi.ts"

export class GrowthProjectsRepo extends Effect.Service<GrowthProjectsRepo>()("experiments/GrowthProjectsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("id, account_id, domain, iso(created_at) AS created_at")

    /** No row when the account does not exist. */
    const insert = Query.first({
      Request: Schema.Struct({ account: AccountId, domain: Schema.String }),
      Result: GrowthProject,
      execute: ({ account, domain }) => sql`
        INSERT INTO growth_projects (account_id, domain)
        SELECT id, ${domain} FROM accounts WHERE id = ${account} RETURNING ${columns}`
    })

    const find = Query.first({
      Request: Schema.Struct({ account: AccountId, id: GrowthProjectId }),
      Result: GrowthProject,
      execute: ({ account, id }) => sql`
        SELECT ${columns} FROM growth_projects WHERE id = ${id} AND account_id = ${account}`
    })

    const all = Query.all({
      Request: Schema.Struct({ account: Schema.NullOr(AccountId) }),
      Result: GrowthProject,
      execute: ({ account }) => sql`
        SELECT ${columns} FROM growth_projects WHERE account_id = coalesce(${account}::uuid, account_id)
        ORDER BY growth_projects.created_at, id`
    })

    const page = Query.oldestFirst(sql, {
      Request: Schema.Struct({ account: AccountId }),
      Result: GrowthProjectResource,
      table: "growth_projects",
      rows: ({ account }) =>
        sql`SELECT id, domain, iso(created_at) AS created_at FROM growth_projects WHERE account_id = ${account}`
    })

    const OfAccount = Schema.Struct({ account: AccountId, id: GrowthProjectId })

    /** Locks the growth project, so no experiment starts on it meanwhile; no row when it is not the account's. */
    const lock = Query.first({
      Request: OfAccount,
      Result: Schema.Struct({ id: GrowthProjectId }),
      execute: ({ account, id }) =>
        sql`SELECT id FROM growth_projects WHERE id = ${id} AND account_id = ${account} FOR UPDATE`
    })

    /** A separate statement after the lock, because only a new one sees commits from before the lock. */
    const isUsed = Query.one({
      Request: GrowthProjectId,
      Result: Schema.Struct({ used: Schema.Boolean }),
      execute: (id) => sql`SELECT EXISTS (SELECT FROM experiments WHERE project_id = ${id}) AS used`
    })

    const change = Query.one({
      Request: Schema.Struct({ domain: Schema.String, id: GrowthProjectId }),
      Result: GrowthProject,
      execute: ({ domain, id }) =>
        sql`UPDATE growth_projects SET domain = ${domain} WHERE id = ${id} RETURNING ${columns}`
    })

    const remove = Query.none({
      Request: GrowthProjectId,
      execute: (id) => sql`DELETE FROM growth_projects WHERE id = ${id}`
    })

    const owner = Query.first({
      Request: GrowthProjectId,
      Result: Schema.Struct({ account: AccountId }),
      execute: (id) => sql`SELECT account_id AS account FROM growth_projects WHERE id = ${id}`
    })

    return { all, change, find, insert, isUsed, lock, owner, page, remove, transaction: Query.transaction(sql) }
  })
}) {}

/** The error for a missing or foreign growth project. */
export const noSuchGrowthProject = NotFound.of("experiment domain")

/** The domains of accounts' experiments. */
export class GrowthProjects extends Effect.Service<GrowthProjects>()("experiments/GrowthProjects", {
  dependencies: [GrowthProjectsRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* GrowthProjectsRepo

    /** Creates a growth project; a domain may have several. */
    const create = Traced.fn("GrowthProjects.create")(function* (account: AccountId, domain: DomainName) {
      return yield* Effect.mapError(Effect.flatten(repo.insert({ account, domain })), () => NotFound.of("account"))
    })

    /** The account's growth project; a missing or foreign one gives one error. */
    const get = Traced.fn("GrowthProjects.get")(function* (account: AccountId, id: GrowthProjectId) {
      return yield* Effect.mapError(Effect.flatten(repo.find({ account, id })), () => noSuchGrowthProject)
    })

    /** The account of a growth project, for the administrator, who may act for every account. */
    const ownerOf = Traced.fn("GrowthProjects.ownerOf")(function* (id: GrowthProjectId) {
      const { account } = yield* Effect.mapError(Effect.flatten(repo.owner(id)), () => noSuchGrowthProject)
      return account
    })

    /** Fails when the growth project has experiments; none starts until the transaction ends. */
    const unused = Effect.fnUntraced(function* (account: AccountId, id: GrowthProjectId) {
      yield* Effect.mapError(Effect.flatten(repo.lock({ account, id })), () => noSuchGrowthProject)
      const { used } = yield* repo.isUsed(id)
      if (used) return yield* new Conflict({ message: "This experiment domain has experiments. Delete them first" })
    })

    /** Changes the domain of a growth project without experiments; an absent field stays. */
    const patch = Traced.fn("GrowthProjects.patch")(function* (
      account: AccountId,
      id: GrowthProjectId,
      { domain }: GrowthProjectPatch
    ) {
      if (domain === undefined) return yield* get(account, id)
      yield* unused(account, id)
      return yield* repo.change({ domain, id })
    }, repo.transaction)

    /** Deletes a growth project without experiments. */
    const remove = Traced.fn("GrowthProjects.remove")(function* (account: AccountId, id: GrowthProjectId) {
      yield* unused(account, id)
      yield* repo.remove(id)
    }, repo.transaction)

    const page = (account: AccountId, batch: Batch) => repo.page({ account, ...batch })

    return { create, get, list: repo.all, ownerOf, page, patch, remove }
  })
}) {}

const encode = Schema.encodeSync(GrowthProjectResource)

export const layer = HttpApiBuilder.group(apiRoot.add(GrowthProjectsApi), "growth-projects", (handlers) =>
  Effect.gen(function* () {
    const growthProjects = yield* GrowthProjects
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle("list", ({ urlParams }) =>
        listPage({ ...urlParams, of: ["growth-projects"] }, growthProjects.page, (project) => [
          project.created_at,
          project.id
        ])
      )
      .handle(
        "create",
        (asked) =>
          creating(asked, (account) =>
            Effect.map(growthProjects.create(account, asked.payload.domain), (project) => ({
              data: encode(project),
              location: `/api/v1/growth-projects/${project.id}`
            }))
          ),
        whole
      )
      .handle("get", ({ path }) => answer((account) => growthProjects.get(account, path.id)))
      .handle(
        "patch",
        ({ path, payload }) => answer((account) => growthProjects.patch(account, path.id, payload)),
        whole
      )
      .handle("remove", ({ path }) => forCaller((account) => growthProjects.remove(account, path.id)), whole)
  })
).pipe(Layer.provide([IdempotentCreate.Default, GrowthProjects.Default]))
