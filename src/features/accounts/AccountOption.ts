import * as Command from "@effect/cli/Command"
import type * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { option } from "../../foundation/terminal/Input.ts"
import { json, print } from "../../foundation/terminal/Output.ts"
import { AccountId } from "./Domain.ts"

/** `--account ID`, as every command that works for one account takes it. */
export const account = option("account", AccountId).pipe(Options.withDescription("id of the account"))

/** `list --account ID`: prints the things of one account; without the option, of all. */
export const listCommand = <A, E, R>(
  list: (of: { readonly account: AccountId | null }) => Effect.Effect<A, E, R>,
  help: HelpDoc.HelpDoc
) =>
  Command.make("list", { account: Options.optional(account), json }, ({ account, json }) =>
    Effect.flatMap(list({ account: Option.getOrNull(account) }), (all) => print(all, json))
  ).pipe(Command.withDescription(help))
