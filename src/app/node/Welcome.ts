import * as Console from "effect/Console"
import * as Option from "effect/Option"

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

/** Prints the address of the server and, on the first start, the key or its file, with the first commands. */
export const print = (base: string, key: Option.Option<string>, file: Option.Option<string>) =>
  Console.log(
    `Findable answers on ${base} (documentation: ${base}/docs)${Option.match(key, {
      onNone: () => "",
      onSome: (text) => `\n${firstSteps(base, text, file)}`
    })}`
  )

/** Prints that a node without a server has started. */
export const work = Console.log("Findable works: runs, deliveries and schedules of this installation")
