import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../../features/accounts/Accounts.ts"
import { account } from "../../features/accounts/Cli.ts"
import type { AccountId } from "../../features/accounts/Domain.ts"
import { Sessions } from "../../features/accounts/Sessions.ts"
import { SessionLength } from "../../features/accounts/SessionsApi.ts"
import { PublicBase } from "../../foundation/http/Request.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { json, option } from "../../foundation/terminal/Output.ts"
import { Host, Port } from "../server/Settings.ts"

/** Seconds of a session where nothing else is asked for: twelve hours. */
export const sessionSeconds = 12 * 3600

const refuse = (message: string) => new Refused({ message })

/** The link that a browser enters the console by: under the public address, or else under that of this node. */
export const linkTo = <E, R>(code: string, own: Effect.Effect<string, E, R>) =>
  Effect.gen(function* () {
    const base = yield* PublicBase
    const from = Option.isSome(base) ? base.value.href.replace(/\/+$/, "") : yield* own
    return `${from}/console#login=${code}`
  })

/** The address of the node by its settings; addresses that stand for all of a machine lead to the machine itself. */
const bySettings = Effect.gen(function* () {
  const host = yield* Host
  const port = yield* Port
  if (port === 0) return yield* refuse("FINDABLE_PORT is 0, so the port is not known: set FINDABLE_PUBLIC_URL")
  const named = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${named.includes(":") ? `[${named}]` : named}:${port}`
})

const chosen = Effect.fnUntraced(function* (asked: Option.Option<AccountId>) {
  const { list } = yield* Accounts
  const all = yield* list
  if (Option.isSome(asked)) {
    if (all.some(({ id }) => id === asked.value)) return asked.value
    return yield* refuse(`There is no account ${asked.value}`)
  }
  const [only, ...others] = all
  if (only === undefined) return yield* refuse("There is no account yet: start the server, or create one")
  if (others.length === 0) return only.id
  const names = all.map(({ id, name }) => `${id} (${name})`).join(", ")
  return yield* refuse(`There are several accounts; choose one by --account: ${names}`)
})

/** `console` */
export const enterConsole = Command.make(
  "console",
  {
    account: Options.optional(account),
    for: option("for", SessionLength).pipe(
      Options.withDefault(sessionSeconds),
      Options.withDescription("how long the session lasts, 1m to 30d; 12h by default")
    ),
    json,
    readOnly: Options.boolean("read-only").pipe(Options.withDescription("a session that changes nothing"))
  },
  ({ account, for: seconds, json, readOnly }) =>
    Effect.gen(function* () {
      const { invite } = yield* Sessions
      // Before a code is made: a link that leads nowhere is none.
      const base = yield* Effect.cached(bySettings)
      yield* linkTo("", base)
      const id = yield* chosen(account)
      const { code, expires_at, scopes } = yield* invite(id, { readOnly, seconds })
      const url = yield* linkTo(code, base)
      yield* Console.log(json ? JSON.stringify({ url, account: id, expires_at, scopes }) : url)
    })
).pipe(
  Command.withDescription(
    described(
      "print a link to the console in a browser; it opens once, within five minutes",
      "console --read-only --for 7d"
    )
  ),
  Command.provide(Accounts.Default),
  Command.provide(Sessions.Default)
)
