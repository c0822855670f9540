import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { Conflict, Invalid, NotFound, Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { Cipher, installationLayer } from "../../../foundation/secrets/Cipher.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { answer, forCaller, whole } from "../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../accounts/Idempotency.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import * as Property from "../Property.ts"
import { SitesRepo } from "../Site.ts"
import * as Credentials from "../searchconsole/Credentials.ts"
import { RankingSourceApi, type SyncId } from "./Api.ts"
import { purpose, SourcesRepo, SyncsRepo } from "./Sync.ts"

/** The settings of a connection. */
interface Request {
  readonly credentials: Credentials.Credentials
  /** Hours between two synchronisations, null for no schedule; absent: the earlier setting, else a day. */
  readonly everyHours?: number | null | undefined
  /** Name of the property; absent: from the project's URL. */
  readonly property?: string | undefined
}

const missing = new NotFound({
  message:
    "The site is not connected to Search Console. Connect it first: PUT /api/v1/projects/{project_id}/rankings/source"
})

/** The connections of sites to Search Console. */
export class Connections extends Effect.Service<Connections>()("rankings/sync/Connections", {
  dependencies: [Projects.Default, SitesRepo.Default, SourcesRepo.Default, SyncsRepo.Default],
  effect: Effect.gen(function* () {
    const cipher = yield* Cipher
    const projects = yield* Projects
    const sites = yield* SitesRepo
    const sources = yield* SourcesRepo
    const syncs = yield* SyncsRepo

    /** Replaces the credentials, encrypted, and starts the site's synchronisation. A running synchronisation restarts with the new credentials. */
    const connect = Traced.fn("Connections.connect")(function* (
      id: ProjectId,
      { credentials, everyHours, property: named }: Request
    ) {
      const site = yield* Effect.mapError(Effect.flatten(sites.find({ site: id })), () => NotFound.of("site"))
      const property = named ?? site.url
      const parsed = Property.covering(property, site.host)
      if (Either.isLeft(parsed)) return yield* Invalid.of("property", parsed.left)
      if (!(yield* Credentials.canSign(credentials)))
        return yield* Invalid.of("credentials.private_key", "must be an RSA private key (PKCS #8, PEM)")
      const sealed = yield* cipher.seal(purpose, id, Credentials.write(credentials))
      const connected = sources.connect({ account: site.account, credentials: sealed, everyHours, property, site: id })
      return yield* syncs.transaction(Effect.zipLeft(connected, syncs.restart({ site: id })))
    })

    /** Connects a project of the account. */
    const put = Traced.fn("Connections.put")(function* (account: AccountId, id: ProjectId, request: Request) {
      yield* projects.own(account, id)
      return yield* connect(id, request)
    })

    /** Sets the schedule of a site's synchronisation; null: no schedule. */
    const schedule = Traced.fn("Connections.schedule")(function* (site: ProjectId, everyHours: number | null) {
      return yield* Effect.flatten(sources.schedule({ everyHours, site })).pipe(
        Effect.mapError(() => new Refused({ message: `Site ${site} is not connected to Search Console` }))
      )
    })

    const get = Traced.fn("Connections.get")(function* (account: AccountId, id: ProjectId) {
      const project = yield* projects.own(account, id)
      return yield* Effect.mapError(Effect.flatten(sources.connection(project)), () => missing)
    })

    /** Deletes the credentials. A running synchronisation ends within seconds; the data stay. */
    const remove = Traced.fn("Connections.remove")(function* (account: AccountId, id: ProjectId) {
      const project = yield* projects.own(account, id)
      yield* Effect.mapError(Effect.flatten(sources.disconnect(project)), () => missing)
    })

    /** Requests a synchronisation of the newest final days, or joins the current one. */
    const ask = Traced.fn("Connections.ask")(function* (account: AccountId, id: ProjectId, days: number) {
      const project = yield* projects.own(account, id)
      yield* Effect.mapError(
        Effect.flatten(syncs.hold(project)),
        () =>
          new Conflict({
            message:
              "The site is not connected to Search Console. Connect it first: PUT /api/v1/projects/{project_id}/rankings/source"
          })
      )
      return yield* syncs.ask({ days, project })
    }, syncs.transaction)

    /** A synchronisation of an account's project. */
    const sync = Traced.fn("Connections.sync")(function* (account: AccountId, id: ProjectId, sync: SyncId) {
      const project = yield* projects.own(account, id)
      return yield* Effect.mapError(Effect.flatten(syncs.find({ id: sync, project })), () => NotFound.of("sync"))
    })

    return { ask, connect, get, put, remove, schedule, sync }
  })
}) {}

export const layer = HttpApiBuilder.group(apiRoot.add(RankingSourceApi), "ranking-source", (handlers) =>
  Effect.gen(function* () {
    const connections = yield* Connections
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle("get", ({ path: { project_id } }) => answer((account) => connections.get(account, project_id)))
      .handle(
        "put",
        ({ path: { project_id }, payload: { every: everyHours, ...request } }) =>
          answer((account) => connections.put(account, project_id, { ...request, everyHours })),
        whole
      )
      .handle(
        "remove",
        ({ path: { project_id } }) => forCaller((account) => connections.remove(account, project_id)),
        whole
      )
      .handle(
        "sync",
        ({ headers, path: { project_id }, payload }) =>
          creating({ headers, payload }, (account) =>
            Effect.map(connections.ask(account, project_id, payload.days), (data) => ({
              accepted: true,
              data,
              location: `/api/v1/projects/${project_id}/rankings/source/syncs/${data.id}`
            }))
          ),
        whole
      )
      .handle("getSync", ({ path: { project_id, sync_id } }) =>
        answer((account) => connections.sync(account, project_id, sync_id))
      )
  })
).pipe(Layer.provide([Connections.Default.pipe(Layer.provide(installationLayer)), IdempotentCreate.Default]))
