import * as Console from "effect/Console"

const firstSteps = (base: string, key: string) => `
Your API key, shown only now:

  ${key}

Try the main job:

  KEY=${key}
  curl -s -X POST ${base}/api/v1/projects -H "Authorization: Bearer $KEY" \\
    -H 'Content-Type: application/json' -d '{"url":"https://example.com"}'
  # PROJECT=<id of the answer>
  curl -s -X POST ${base}/api/v1/projects/$PROJECT/site-health/runs -H "Authorization: Bearer $KEY"
  # RUN=<id of the answer>
  curl -s "${base}/api/v1/runs/$RUN?include=result" -H "Authorization: Bearer $KEY"
`

/** Tells where the server answers and, on the first start, the key and how to do the main job with it. */
export const print = (base: string, key: string | undefined) =>
  Console.log(
    `Findable answers on ${base} (documentation: ${base}/docs)${key === undefined ? "" : `\n${firstSteps(base, key)}`}`
  )

/** Says that a node without a server has begun. */
export const work = Console.log("Findable works: runs, deliveries and schedules of this installation")
