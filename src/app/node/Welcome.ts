import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { invocation } from "../../foundation/terminal/Invocation.ts"
import { Format } from "./Telemetry.ts"

/** What a start has to tell. */
interface Start {
  /** Address of the server. */
  readonly base: string
  /** The file with the first key, if one is named. */
  readonly file: Option.Option<string>
  /** The first key, on the first start. */
  readonly key: Option.Option<string>
  /** A link to the console, where the first key is printed too. */
  readonly link: Option.Option<string>
}

const laterLinks = `\`${invocation} console\` prints a link to the console`

const firstSteps = ({ base, file, link }: Start, key: string) => `
${Option.match(file, {
  onNone: () => `Your API key, shown only now:\n\n  ${key}`,
  onSome: (name) => `Your API key is in ${name}, and nowhere else.`
})}

${Option.match(link, {
  onNone: () => `Look at it in a browser: ${laterLinks}.`,
  onSome: (url) => `Look at it in a browser, within five minutes (later ${laterLinks}):\n\n  ${url}`
})}

Try the main job:

  KEY=${Option.match(file, { onNone: () => key, onSome: (name) => `$(cat '${name}')` })}
  curl -s -X POST ${base}/api/v1/projects -H "Authorization: Bearer $KEY" \\
    -H 'Content-Type: application/json' -d '{"url":"https://example.com"}'
  # PROJECT=<id of the answer>
  curl -s -X POST ${base}/api/v1/projects/$PROJECT/site-health/runs -H "Authorization: Bearer $KEY"
  # RUN=<id of the answer>
  curl -s "${base}/api/v1/runs/$RUN?include=result" -H "Authorization: Bearer $KEY"
`

/** Text for people, or one line of JSON where the log is JSON. */
const say = (text: string, fields: Readonly<Record<string, string>>) =>
  Effect.flatMap(Format, (format) => Console.log(format === "json" ? JSON.stringify(fields) : text))

/** Prints the address of the server and, on the first start, the key or its file, a link to the console, and the first commands. */
export const print = (start: Start) => {
  const { base, file, key, link } = start
  const docs = `${base}/docs`
  const message = `Findable answers on ${base}`
  const about = `${message} (documentation: ${docs})`
  const text = Option.match(key, {
    onNone: () => `${about}\n${laterLinks}`,
    onSome: (key) => `${about}\n${firstSteps(start, key)}`
  })
  // The key itself stands in one place: the file, if one is named.
  const handedOut = Option.match(key, {
    onNone: () => ({}),
    onSome: (key) => Option.match(file, { onNone: () => ({ key }), onSome: (key_file) => ({ key_file }) })
  })
  const entrance = Option.match(link, { onNone: () => ({}), onSome: (console) => ({ console }) })
  return say(text, { message, url: base, docs, ...handedOut, ...entrance })
}

const works = "Findable works: runs, deliveries and schedules of this installation"

/** Prints that a node without a server has started. */
export const work = say(works, { message: works })
