import * as Options from "@effect/cli/Options"
import * as Schema from "effect/Schema"
import { ruleIds } from "../../crawl/rules/Catalogue.ts"
import { repeatedOption } from "../../foundation/terminal/Typed.ts"
import { nearest } from "../../foundation/text/Nearest.ts"

/** The name of a rule of the catalogue. */
export const KnownRule = Schema.String.pipe(
  Schema.filter((text) => ruleIds.has(text), {
    message: ({ actual }) => {
      const near = nearest(String(actual), [...ruleIds])
      return `${String(actual)} is not a rule${near === undefined ? "" : `; did you mean ${near}?`}`
    }
  })
)

/** `--rule`, repeatable; `what` describes its use by the command. */
export const ruleOption = (what: string) =>
  repeatedOption("rule", KnownRule).pipe(Options.withDescription(`${what}; may be repeated; default: all that fail`))
