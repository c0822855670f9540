import * as Effect from "effect/Effect"
import * as Server from "../../server.ts"

/** The value of a series in the server's `/metrics`, 0 if it is missing. */
export const valueOf = (series: string) =>
  Effect.map(Server.send("GET", "/metrics"), ({ body }) => {
    const line = String(body)
      .split("\n")
      .find((candidate) => candidate.startsWith(`${series} `))
    return Number(line?.slice(series.length + 1) ?? 0)
  })
