import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Format } from "./Telemetry.ts"

const firstSteps = (base: string, key: string, file: Option.Option<string>) => `
${Option.match(file, {
  onNone: () => `Your API key, shown only now:\n\n  ${key}`,
  onSome: (name) => `Your API key is in ${name}, and nowhere else.`
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

/** Prints the address of the server and, on the first start, the key or its file, with the first commands. */
export const print = (base: string, key: Option.Option<string>, file: Option.Option<string>) => {
  const docs = `${base}/docs`
  const message = `Findable answers on ${base}`
  const steps = Option.match(key, { onNone: () => "", onSome: (text) => `\n${firstSteps(base, text, file)}` })
  // The key itself stands in one place: the file, if one is named.
  const handedOut = Option.match(key, {
    onNone: () => ({}),
    onSome: (key) => Option.match(file, { onNone: () => ({ key }), onSome: (key_file) => ({ key_file }) })
  })
  return say(`${message} (documentation: ${docs})${steps}`, { message, url: base, docs, ...handedOut })
}

const works = "Findable works: runs, deliveries and schedules of this installation"

/** Prints that a node without a server has started. */
export const work = say(works, { message: works })
