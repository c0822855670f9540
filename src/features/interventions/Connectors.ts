import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { Outbound, problemOf } from "../../foundation/outbound/Outbound.ts"
import { Invalid, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { Cipher, installationLayer, Sealed } from "../../foundation/secrets/Cipher.ts"
import type { AccountId } from "../accounts/Domain.ts"
import { OwnedId } from "../accounts/Owned.ts"
import { ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import type { PutWordPress } from "./Api.ts"
import { failed } from "./GitHub.ts"

/** Connectors that need credentials. */
type Kind = "github" | "wordpress"

const Found = Schema.Struct({ project: ProjectId })
const Stored = Schema.Struct({ credentials: Sealed, project: OwnedId(ProjectId) })

/** Stored credentials of sites. */
export class ConnectorsRepo extends Effect.Service<ConnectorsRepo>()("interventions/ConnectorsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const statements = (kind: Kind) => {
      const table = sql.literal(`${kind}_connectors`)
      // A new token has its own rate limit.
      const afresh = kind === "github" ? sql`, paused_until = NULL` : sql``
      return {
        find: Query.first({
          Request: ProjectId,
          Result: Schema.Struct({ credentials: Sealed, paused_until: Schema.NullOr(Schema.Number) }),
          execute: (project) => sql`
            SELECT credentials, ${
              kind === "github" ? sql`extract(epoch FROM paused_until)::float8 * 1000` : sql`NULL::float8`
            } AS paused_until FROM ${table} WHERE project_id = ${project}`
        }),
        /** Stores credentials; changes that wait for them are due immediately. */
        put: Query.one({
          Request: Stored,
          Result: Found,
          execute: ({ credentials, project }) => sql`
            WITH waiting AS (
              UPDATE interventions SET due_at = clock_timestamp()
              WHERE project_id = ${project} AND ${sql.literal(kind)} IS NOT NULL AND due_at > clock_timestamp()
                AND status IN ('proposed', 'rolling_back')
            )
            INSERT INTO ${table} AS c (project_id, credentials) VALUES (${project}, ${credentials})
            ON CONFLICT (project_id) DO UPDATE SET credentials = excluded.credentials${afresh} RETURNING project_id AS project`
        }),
        remove: Query.first({
          Request: OwnedId(ProjectId),
          Result: Found,
          execute: (project) => sql`DELETE FROM ${table} WHERE project_id = ${project} RETURNING project_id AS project`
        })
      }
    }

    /** End of GitHub's pause for the token of a site, in epoch milliseconds. */
    const pause = Query.none({
      Request: Schema.Struct({ project: ProjectId, until: Schema.Number }),
      execute: ({ project, until }) => sql`
        UPDATE github_connectors SET paused_until = to_timestamp(${until}::float8 / 1000) WHERE project_id = ${project}`
    })

    return { github: statements("github"), pause, wordpress: statements("wordpress") }
  })
}) {}

/** The purposes to which the cipher binds stored credentials. */
const purposes = {
  github: "GitHub token of site",
  wordpress: "WordPress credentials of site"
} as const

/** The URL is encrypted with the password, so the password goes nowhere else. */
const OfWordPress = Schema.parseJson(
  Schema.Struct({ password: Schema.String, url: Schema.String, username: Schema.String })
)
export type OfWordPress = typeof OfWordPress.Type

const encode = Schema.encodeSync(OfWordPress)
const decode = Schema.decodeUnknown(OfWordPress)

const ofWordPress = (credentials: OfWordPress): Redacted.Redacted => Redacted.make(encode(credentials))

/** A site has no usable credentials of a connector; `message` says what to do. */
export class NotConnected extends Data.TaggedError("NotConnected")<{ readonly message: string }> {}

const names = { github: "GitHub", wordpress: "WordPress" } as const

const absent = (kind: Kind) =>
  new NotConnected({
    message: `The site is not connected to ${names[kind]}. Connect it first: PUT /api/v1/projects/{project_id}/connectors/${kind}`
  })

/** The credentials of sites, for requests. */
export class Credentials extends Effect.Service<Credentials>()("interventions/Credentials", {
  dependencies: [ConnectorsRepo.Default, installationLayer],
  effect: Effect.gen(function* () {
    const cipher = yield* Cipher
    const repo = yield* ConnectorsRepo

    const opened = Effect.fnUntraced(function* (project: ProjectId, kind: Kind) {
      const found = yield* repo[kind].find(project)
      if (Option.isNone(found)) return yield* absent(kind)
      const secret = yield* Effect.mapError(
        cipher.open(purposes[kind], project, found.value.credentials),
        () =>
          new NotConnected({
            message: `The stored credentials for ${names[kind]} are not readable. Connect the site again`
          })
      )
      return { pausedUntil: found.value.paused_until, secret }
    })

    /** The token of a site; fails while GitHub pauses it. */
    const github = Effect.fnUntraced(function* (project: ProjectId) {
      const { pausedUntil, secret } = yield* opened(project, "github")
      if (pausedUntil !== null && pausedUntil > (yield* Clock.currentTimeMillis))
        return yield* failed("limited", "the rate limit of the token is used up for now", pausedUntil)
      return secret
    })

    const wordpress = Effect.fnUntraced(function* (project: ProjectId) {
      const { secret } = yield* opened(project, "wordpress")
      return yield* Effect.mapError(decode(Redacted.value(secret)), () => absent("wordpress"))
    })

    return { github, pause: repo.pause, wordpress }
  })
}) {}

/** The connectors of sites, for their owners. */
export class Connectors extends Effect.Service<Connectors>()("interventions/Connectors", {
  dependencies: [ConnectorsRepo.Default, installationLayer, Projects.Default],
  effect: Effect.gen(function* () {
    const cipher = yield* Cipher
    const outbound = yield* Outbound
    const projects = yield* Projects
    const repo = yield* ConnectorsRepo

    const get = (kind: Kind) =>
      Traced.fn("Connectors.get")(function* (account: AccountId, id: ProjectId) {
        yield* projects.own(account, id)
        return { configured: Option.isSome(yield* repo[kind].find(id)) }
      })

    const put = Effect.fnUntraced(function* (
      account: AccountId,
      id: ProjectId,
      kind: Kind,
      credentials: Redacted.Redacted
    ) {
      const project = yield* projects.own(account, id)
      yield* repo[kind].put({ credentials: yield* cipher.seal(purposes[kind], id, credentials), project })
      return { configured: true }
    })

    const putGitHub = (account: AccountId, id: ProjectId, token: Redacted.Redacted) => put(account, id, "github", token)

    /** Refuses a URL with a host that is not public now, or does not resolve; every request checks it again. */
    const putWordPress = Traced.fn("Connectors.putWordPress")(function* (
      account: AccountId,
      id: ProjectId,
      { application_password, url, username }: PutWordPress
    ) {
      yield* projects.own(account, id)
      // The handler is uninterruptible, so the look-up's own time-out could not end it.
      yield* Effect.mapError(Effect.interruptible(outbound.vet(new URL(url))), (error) =>
        Invalid.of("url", problemOf(error))
      )
      const password = Redacted.value(application_password)
      return yield* put(account, id, "wordpress", ofWordPress({ password, url, username }))
    })

    const remove = (kind: Kind) =>
      Traced.fn("Connectors.remove")(function* (account: AccountId, id: ProjectId) {
        const project = yield* projects.own(account, id)
        yield* Effect.mapError(
          Effect.flatten(repo[kind].remove(project)),
          () => new NotFound({ message: `The site is not connected to ${names[kind]}` })
        )
      })

    return { get, putGitHub, putWordPress, remove }
  })
}) {}
