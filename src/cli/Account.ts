import * as Options from "@effect/cli/Options"
import { AccountId } from "../accounts/Domain.ts"
import { option } from "./Typed.ts"

/** `--account ID`, as every command that works for one account takes it. */
export const account = option("account", AccountId).pipe(Options.withDescription("id of the account"))
