import * as FileSystem from "@effect/platform/FileSystem"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { invocation } from "../../foundation/terminal/Terminal.ts"
import { Format } from "./Telemetry.ts"

/** File for the first key, for starts with logged output. */
export const FirstKeyFile = Config.nonEmptyString("FINDABLE_FIRST_KEY_FILE").pipe(
  Config.option,
  Config.withDescription(
    "File for the first API key, created with mode 0600. Without it, the first start prints the key"
  )
)

const ownerOnly = 0o600

const write = Effect.fnUntraced(
  function* (file: string, key: string) {
    const fs = yield* FileSystem.FileSystem
    const handle = yield* fs.open(file, { flag: "wx", mode: ownerOnly })
    // On a full disk, a file without the key would stop the next start.
    yield* Effect.onError(Effect.zipRight(handle.writeAll(new TextEncoder().encode(`${key}\n`)), handle.sync), () =>
      Effect.ignore(fs.remove(file))
    )
  },
  Effect.scoped,
  (effect, file) =>
    Effect.mapError(
      effect,
      ({ message }) =>
        new Refused({
          message: `Cannot write the first API key to ${file}, the value of FINDABLE_FIRST_KEY_FILE: ${message}`
        })
    )
)

/** Writes the first key to the file, if one is named, before the key is stored. */
export const handOver = (file: Option.Option<string>) => (key: string) =>
  Option.match(file, { onNone: () => Effect.void, onSome: (name) => write(name, key) })

/** The information that a start prints. */
interface Start {
  /** URL of the server. */
  readonly base: string
  /** Absolute path of the data directory. */
  readonly directory: string
  /** The file with the first key, if one is named. */
  readonly file: Option.Option<string>
  /** The first key, on the first start. */
  readonly key: Option.Option<string>
  /** A link to the console, if the first key is printed too. */
  readonly link: Option.Option<string>
}

const newLink = `${invocation} console`

const firstSteps = ({ base, file, link }: Start, key: string) => `
${Option.match(file, {
  onNone: () => `Your API key, shown only this once:\n\n  ${key}`,
  onSome: (name) => `Your API key is in ${name}. This is the only copy.`
})}

${Option.match(link, {
  onNone: () => `Open the console with the link that this command prints:\n\n  ${newLink}`,
  onSome: (url) =>
    `Open the console (link valid for 5 minutes, single use):\n\n  ${url}\n\nGet a new link at any time:\n\n  ${newLink}`
})}

Add a site, crawl it and read the result with the API:

  KEY=${Option.match(file, { onNone: () => key, onSome: (name) => `$(cat '${name}')` })}
  curl -s -X POST ${base}/api/v1/projects -H "Authorization: Bearer $KEY" \\
    -H 'Content-Type: application/json' -d '{"url":"https://example.com"}'
  # SITE=<id in the response>
  curl -s -X POST ${base}/api/v1/projects/$SITE/site-health/runs -H "Authorization: Bearer $KEY"
  # CRAWL=<id in the response>
  curl -s "${base}/api/v1/runs/$CRAWL?include=result" -H "Authorization: Bearer $KEY"
`

/** Text for people, or one line of JSON for a JSON log. */
const say = (text: string, fields: Readonly<Record<string, string>>) =>
  Effect.flatMap(Format, (format) => Console.log(format === "json" ? JSON.stringify(fields) : text))

/** Prints the URL of the server and, on the first start, the key or its file, a link to the console, and the first commands. */
export const print = (start: Start) => {
  const { base, directory, file, key, link } = start
  const docs = `${base}/docs`
  const message = `Findable runs at ${base}`
  const about = `${message}\nDocumentation: ${docs}\nData directory: ${directory}`
  const text = Option.match(key, {
    onNone: () => `${about}\nSign-in link for the console: ${newLink}`,
    onSome: (key) => `${about}\n${firstSteps(start, key)}`
  })
  // The key is in one place: the file, if one is named.
  const handedOut = Option.match(key, {
    onNone: () => ({}),
    onSome: (key) => Option.match(file, { onNone: () => ({ key }), onSome: (key_file) => ({ key_file }) })
  })
  const entrance = Option.match(link, { onNone: () => ({}), onSome: (console) => ({ console }) })
  return say(text, { message, url: base, docs, data_directory: directory, ...handedOut, ...entrance })
}

const works = "Findable worker runs: crawls, webhook deliveries and schedules"

/** Prints that a worker without a server has started. */
export const work = say(works, { message: works })
