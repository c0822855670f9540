import * as Cause from "effect/Cause"
import * as HashMap from "effect/HashMap"
import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"
import { escapeInvisible, escapeInvisibleJson, escapeInvisibleLines } from "../text/Words.ts"

/**
 * How the operator calls the command line where this process was started: by npm's script in a checkout, else by the program of the package, of which npx runs the one that
 * is installed. It fetches none: on a registry the name may be anybody's.
 */
export const invocation = import.meta.url.endsWith(".ts") ? "npm run -s cli --" : "npx --no-install findable"

/** Log lines carry foreign text: control characters and line breaks in it are written as JSON's escapes, so that JSON stays JSON. */
export const escapedLine = (logger: Logger.Logger<unknown, string>): Logger.Logger<unknown, string> =>
  Logger.map(logger, escapeInvisibleJson)

const shown = (value: unknown) => escapeInvisibleLines(Inspectable.toStringUnknown(value, 0))

/** The same for a logger that writes to a terminal itself: its input is escaped. */
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
