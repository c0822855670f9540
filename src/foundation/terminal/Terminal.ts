/** Platform adapter (`node:fs`, `process`): the call that starts this program again, and lines that are safe for a terminal. */
import { existsSync } from "node:fs"
import { delimiter, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import * as Cause from "effect/Cause"
import * as HashMap from "effect/HashMap"
import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"
import { escapeInvisible, escapeInvisibleJson, escapeInvisibleLines } from "../text/Words.ts"

/** The start of a process: the URL of this module, the working directory, and the shell's search path. */
interface Start {
  readonly module: string
  readonly folder: string
  readonly path: string
}

/** npm puts these folders before the shell's while it runs a program. */
const isOfNpm = (folder: string) => /[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder)

/**
 * How the administrator calls the command line where a process was started: by npm's script in a checkout, by its name if the shell finds it, else by the path
 * of the installed program. We name no package manager that would fetch the package, because anybody may own the name on a registry.
 */
export const invocationOf = ({ folder, module, path }: Start): string => {
  if (module.endsWith(".ts")) return "npm run -s cli --"
  const folders = path.split(delimiter).filter((name) => name !== "" && !isOfNpm(name))
  if (folders.some((name) => existsSync(join(name, "findable")))) return "findable"
  const program = fileURLToPath(new URL("../../../../.bin/findable", module))
  const near = relative(folder, program)
  const shown = (name: string) => (/^[\w./-]+$/.test(name) ? name : `'${name}'`)
  if (existsSync(program)) return shown(near.startsWith("..") ? program : near)
  return ["node", shown(fileURLToPath(new URL("../../bin.js", module)))].join(" ")
}

/** How the administrator calls the command line where this process was started. */
export const invocation = invocationOf({
  folder: process.cwd(),
  module: import.meta.url,
  path: new Map(Object.entries(process.env)).get("PATH") ?? ""
})

/** Escapes control characters and line breaks of foreign text in log lines. JSON's escapes keep JSON valid. */
export const escapedLine = (logger: Logger.Logger<unknown, string>): Logger.Logger<unknown, string> =>
  Logger.map(logger, escapeInvisibleJson)

const shown = (value: unknown) => escapeInvisibleLines(Inspectable.toStringUnknown(value, 0))

/** Escapes the input of a logger that writes to a terminal itself. */
export const visibleInput = <A>(logger: Logger.Logger<unknown, A>): Logger.Logger<unknown, A> =>
  Logger.mapInputOptions(logger, ({ annotations, cause, message, ...line }) => {
    const messages = (Array.isArray(message) ? message : [message]).map(shown)
    const why = Cause.isEmptyType(cause) ? [] : [escapeInvisibleLines(Cause.pretty(cause, { renderErrorCause: true }))]
    return {
      ...line,
      annotations: HashMap.fromIterable(
        Array.from(annotations, ([name, value]) => [escapeInvisible(name), shown(value)])
      ),
      cause: Cause.empty,
      message: [...messages, ...why]
    }
  })
