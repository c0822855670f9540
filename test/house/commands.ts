/** The reference of the command line, from the help of its commands. */
import type * as Effect from "effect/Effect"
import { call, type Help, helpOf } from "../../src/foundation/terminal/CommandLine.ts"
import { invocation } from "../../src/foundation/terminal/Terminal.ts"
import type { helpPages } from "../help.ts"
import { wrapped } from "./checkPages.ts"

type Table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) => string

/** A text of help in Markdown, outside of its code. */
const escaped = (text: string) =>
  text
    .split("`")
    .map((part, index) => (index % 2 === 0 ? part.replace(/[*<_]/g, "\\$&") : part).replaceAll("|", "\\|"))
    .join("`")

const block = (text: string) => `\`\`\`text\n${text}\n\`\`\``

const rows = (all: Help["options"]) =>
  all.map(([name, meaning]) => [`\`${name.replaceAll("|", "\\|")}\``, escaped(meaning)])

const section = (path: ReadonlyArray<string>, help: Help, table: Table) => {
  const values = [...rows(help.arguments), ...rows(help.options)]
  return [
    `${"#".repeat(Math.min(3, path.length + 1))} ${path.join(" ")}`,
    wrapped(`${escaped(help.purpose)}.`),
    ...(help.commands.length > 0
      ? []
      : [
          block(help.usage.flatMap(call).join("\n").replace(/^ {2}/gm, "")),
          ...(values.length === 0 ? [] : [table(["argument or option", "meaning"], values)]),
          wrapped(`Exit codes: ${help.exits.map(([code, meaning]) => `**${code}** ${escaped(meaning)}`).join(" · ")}`),
          block(`${help.example?.replace(invocation, "findable")}`)
        ])
  ].join("\n\n")
}

/** A section for each command, in the order of the help. */
export const commandsByGroup = (pages: Effect.Effect.Success<typeof helpPages>, table: Table): string =>
  pages
    .filter(({ path }) => path.length > 0)
    .map(({ known, path }) => section(path, helpOf(path, known), table))
    .join("\n\n")
