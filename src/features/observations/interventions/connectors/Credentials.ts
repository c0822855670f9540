import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Cipher } from "../../../../foundation/secrets/Cipher.ts"
import * as InstallationKey from "../../../../foundation/secrets/InstallationKey.ts"
import type { ProjectId } from "../../../projects/Domain.ts"
import { failed } from "../github/Failure.ts"
import { ConnectorsRepo, type Kind } from "./ConnectorsRepo.ts"

/** What the cipher knows stored credentials by. */
export const purposes = {
  github: "GitHub token of project",
  wordpress: "WordPress credentials of project"
} as const

/** The address is sealed with the password, which thereby goes nowhere else. */
const OfWordPress = Schema.parseJson(
  Schema.Struct({ password: Schema.String, url: Schema.String, username: Schema.String })
)
export type OfWordPress = typeof OfWordPress.Type

const encode = Schema.encodeSync(OfWordPress)
const decode = Schema.decodeUnknown(OfWordPress)

export const ofWordPress = (credentials: OfWordPress): Redacted.Redacted => Redacted.make(encode(credentials))

/** A project has no usable credentials of a connector; `message` says what to do. */
export class NotConnected extends Data.TaggedError("NotConnected")<{ readonly message: string }> {}

const names = { github: "GitHub", wordpress: "WordPress" } as const

const absent = (kind: Kind) =>
  new NotConnected({
    message: `The project is not connected to ${names[kind]}: connect it, by PUT of connectors/${kind}`
  })

/** The credentials of projects, for the requests that need them. */
export class Credentials extends Effect.Service<Credentials>()("interventions/connectors/Credentials", {
  dependencies: [ConnectorsRepo.Default, InstallationKey.layer],
  effect: Effect.gen(function* () {
    const cipher = yield* Cipher
    const repo = yield* ConnectorsRepo

    const opened = Effect.fnUntraced(function* (project: ProjectId, kind: Kind) {
      const found = yield* repo[kind].find(project)
      if (Option.isNone(found)) return yield* absent(kind)
      const secret = yield* Effect.mapError(
        cipher.open(purposes[kind], project, found.value.credentials),
        () =>
          new NotConnected({ message: `The credentials for ${names[kind]} cannot be read: connect the project again` })
      )
      return { pausedUntil: found.value.paused_until, secret }
    })

    /** The token of a project; fails while GitHub wants no requests with it. */
    const github = Effect.fnUntraced(function* (project: ProjectId) {
      const { pausedUntil, secret } = yield* opened(project, "github")
      if (pausedUntil !== null && pausedUntil > (yield* Clock.currentTimeMillis))
        return yield* failed("limited", "the requests of the token are spent for now", pausedUntil)
      return secret
    })

    const wordpress = Effect.fnUntraced(function* (project: ProjectId) {
      const { secret } = yield* opened(project, "wordpress")
      return yield* Effect.mapError(decode(Redacted.value(secret)), () => absent("wordpress"))
    })

    return { github, pause: repo.pause, wordpress }
  })
}) {}
