import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import type * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { NotFound, Refused } from "../../foundation/schema/DomainError.ts"
import { Moment } from "../../foundation/schema/Time.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { argument, json, option, print } from "../../foundation/terminal/Output.ts"
import { invocation } from "../../foundation/terminal/Terminal.ts"
import { Accounts } from "./Accounts.ts"
import { AccountId, granted, KeyId, Plan } from "./Domain.ts"

const named = Options.optional(option("account", AccountId))

/** The account with the id; without an id, the only account. */
const chosen = (asked: Option.Option<AccountId>) =>
  Effect.gen(function* () {
    const all = yield* Effect.flatMap(Accounts, ({ list }) => list)
    if (Option.isSome(asked)) {
      if (all.some(({ id }) => id === asked.value)) return asked.value
      return yield* new NotFound({ message: `There is no account ${asked.value}` })
    }
    const [only, ...others] = all
    if (only === undefined)
      return yield* new NotFound({
        message: `There is no account yet. Start the server, or run \`${invocation} accounts create\``
      })
    if (others.length === 0) return only.id
    const names = all.map(({ id, name }) => `${id} (${name})`).join(", ")
    return yield* new Refused({ message: `This server has several accounts. Choose one with --account: ${names}` })
  }).pipe(Effect.provide(Accounts.Default))

/** `--account ID` of commands that work for one account: an effect that finds the account. */
export const account = named.pipe(
  Options.withDescription("ID of the account. Not needed if the server has only one"),
  Options.map(chosen)
)

/** `list --account ID`: prints the things of one account; without the option, of all accounts. */
export const listCommand = <A, E, R>(
  list: (of: { readonly account: AccountId | null }) => Effect.Effect<A, E, R>,
  help: HelpDoc.HelpDoc
) =>
  Command.make(
    "list",
    { account: named.pipe(Options.withDescription("ID of the account (default: all accounts)")), json },
    ({ account, json }) => Effect.flatMap(list({ account: Option.getOrNull(account) }), (all) => print(all, json))
  ).pipe(Command.withDescription(help))

const create = Command.make(
  "create",
  {
    json,
    name: Options.text("name").pipe(Options.withDescription("Name of the account, such as your agency or customer")),
    plan: Options.choice("plan", Plan.literals).pipe(
      Options.withDescription("Plan of the account, which sets its limits")
    )
  },
  ({ json, name, plan }) =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      yield* print(yield* accounts.create(name, plan), json)
    })
).pipe(
  Command.withDescription(
    described("Create an account for a team or a customer", "accounts create --name Agency --plan agency_team")
  )
)

const list = Command.make("list", { json }, ({ json }) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    yield* print(yield* accounts.list, json)
  })
).pipe(Command.withDescription(described("List all accounts of this server", "accounts list")))

const createKey = Command.make(
  "create",
  {
    account,
    expires: Options.optional(
      option("expires", Moment).pipe(
        Options.withDescription("When the key expires, such as 2027-06-30T00:00:00Z (default: never)")
      )
    ),
    json,
    mode: Options.choice("mode", ["live", "test"]).pipe(
      Options.withDefault("live" as const),
      Options.withDescription("Prefix of the key: fnd_live_ or fnd_test_ (default: live)")
    ),
    name: Options.optional(
      Options.text("name").pipe(Options.withDescription("What the key is for, such as dashboard"))
    ),
    scopes: Options.text("scopes").pipe(
      Options.withDescription(
        "What the key may do: comma-separated scopes. `*` grants all except `site-health:write`, `geo:write`, `interventions:write` and `keys:manage`"
      )
    )
  },
  ({ account, expires, json, mode, name, scopes }) =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const names = scopes.split(",").map((scope) => scope.trim())
      yield* print(
        yield* accounts.createKey(
          yield* account,
          names.filter((name) => name !== ""),
          mode,
          {
            expires: Option.match(expires, { onNone: () => null, onSome: DateTime.formatIso }),
            name: Option.getOrNull(name)
          }
        ),
        json
      )
    })
).pipe(
  Command.withDescription(
    described(
      "Create an API key and print it. The key is shown only once",
      "keys create --account $ACCOUNT --name dashboard --scopes search-data:read,site-health:read"
    )
  )
)

const listKeys = listCommand(
  (of) =>
    Effect.map(
      Effect.flatMap(Accounts, ({ keys }) => keys(of)),
      (all) => all.map((key) => ({ ...key, grants: granted(key.scopes) }))
    ),
  described("List API keys of one account, or of all", "keys list --account $ACCOUNT")
)

const revokeKey = Command.make(
  "revoke",
  { id: argument("id", KeyId).pipe(Args.withDescription("ID of the key, from `keys list`")), json },
  ({ id, json }) =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      yield* print(yield* accounts.revokeKey(id), json)
    })
).pipe(
  Command.withDescription(
    described("Revoke an API key. It stops working immediately", "keys revoke 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11")
  )
)

/** `accounts …` */
export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Manage accounts and their plans"),
  Command.withSubcommands([create, list]),
  Command.provide(Accounts.Default)
)

/** `keys …` */
export const keys = Command.make("keys").pipe(
  Command.withDescription("Manage API keys"),
  Command.withSubcommands([createKey, listKeys, revokeKey]),
  Command.provide(Accounts.Default)
)
