import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../../features/accounts/Accounts.ts"
import { account } from "../../features/accounts/Cli.ts"
import { Sessions } from "../../features/accounts/Sessions.ts"
import { LinkScopes, SessionLength, sessionScopes } from "../../features/accounts/SessionsApi.ts"
import { dataDirectory } from "../../foundation/database/Location.ts"
import { namedLink } from "../../foundation/http/Request.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { json, option } from "../../foundation/terminal/Output.ts"
import { Host, Port } from "../server/Settings.ts"

/** Default length of a session in seconds: twelve hours. */
export const sessionSeconds = 12 * 3600

const refuse = (message: string) => new Refused({ message })

/** The link that signs a browser in: under the public URL, or else under the URL of this server. */
export const linkTo = <E, R>(code: string, own: Effect.Effect<string, E, R>) =>
  Effect.gen(function* () {
    const base = (yield* namedLink) ?? (yield* own)
    return `${base}/console#login=${code}`
  })

/** The URL of a server; for bind addresses of all interfaces, the machine itself. */
export const baseOf = (host: string, port: number) => {
  const named = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${named.includes(":") ? `[${named}]` : named}:${port}`
}

/** The file with the URL of a running server, in its data directory. */
const addressFile = Effect.gen(function* () {
  const path = yield* Path.Path
  return path.join(yield* dataDirectory, "address")
})

/** Publishes the URL of this server until the scope closes. If the data directory cannot be written, commands use their settings. */
export const announce = (base: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const file = yield* addressFile
    const isOwn = Effect.map(fs.readFileString(file), (text) => text === base)
    yield* fs.writeFileString(file, base)
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.whenEffect(fs.remove(file), isOwn)))
  }).pipe(Effect.ignore)

/** The URL of the server of this data directory: the published one, or else the URL of the settings. */
const server = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const said = yield* Effect.option(Effect.flatMap(addressFile, fs.readFileString))
  if (Option.isSome(said)) return said.value
  const port = yield* Port
  if (port === 0)
    return yield* refuse("The server is not running, and FINDABLE_PORT=0 leaves its port open. Start the server first.")
  return baseOf(yield* Host, port)
}).pipe(Effect.provide(BunContext.layer))

/** The scopes of the session that the options ask for; they exclude each other. */
const rightsOf = ({
  operator,
  readOnly,
  scopes
}: {
  readonly operator: boolean
  readonly readOnly: boolean
  readonly scopes: Option.Option<ReadonlyArray<string>>
}) => {
  if ([operator, readOnly, Option.isSome(scopes)].filter((isAsked) => isAsked).length > 1)
    return refuse("Use only one of --operator, --read-only and --scopes: each sets all scopes of the session.")
  const chosen = operator ? sessionScopes.operator : readOnly ? sessionScopes.reading : sessionScopes.usual
  return Effect.succeed(Option.getOrElse(scopes, (): ReadonlyArray<string> => chosen))
}

/** `console` */
export const enterConsole = Command.make(
  "console",
  {
    account,
    for: option("for", SessionLength).pipe(
      Options.withDefault(sessionSeconds),
      Options.withDescription("How long the session lasts, 1m to 30d (default: 12h)")
    ),
    json,
    operator: Options.boolean("operator").pipe(
      Options.withDescription("Sign in as the administrator: all scopes, with API keys and the state of the server")
    ),
    readOnly: Options.boolean("read-only").pipe(
      Options.withDescription("Sign in without permission to change anything")
    ),
    scopes: Options.optional(
      option("scopes", LinkScopes).pipe(Options.withDescription("What the session may do: comma-separated scopes"))
    )
  },
  ({ account, for: seconds, json, ...asked }) =>
    Effect.gen(function* () {
      const rights = yield* rightsOf(asked)
      const { invite } = yield* Sessions
      // The URL is found before the code is created, because a link needs a reachable server.
      const base = yield* Effect.cached(server)
      yield* linkTo("", base)
      const id = yield* account
      const { code, expires_at, scopes } = yield* invite(id, { scopes: rights, seconds })
      const url = yield* linkTo(code, base)
      yield* Console.log(json ? JSON.stringify({ url, account: id, expires_at, scopes }) : url)
    })
).pipe(
  Command.withDescription(
    described(
      "Print a sign-in link to the console. The link is valid for 5 minutes and works once",
      "console --read-only --for 7d"
    )
  ),
  Command.provide(Accounts.Default),
  Command.provide(Sessions.Default)
)
