import * as Options from "@effect/cli/Options"
import { option } from "../../foundation/terminal/Input.ts"
import { AccountId } from "./Domain.ts"

/** `--account ID`, as every command that works for one account takes it. */
export const account = option("account", AccountId).pipe(Options.withDescription("id of the account"))
