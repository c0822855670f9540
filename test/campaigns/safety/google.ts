/** A user's consent, in the format of Google's tools. */
export const ofUser = (refreshToken: string) => ({
  client_id: "client",
  client_secret: "GOCSPX-c1ientS3cretOfTheCampaign",
  refresh_token: refreshToken,
  type: "authorized_user"
})

type Reply = (token: string) => Response

const refusals: Readonly<Record<number, string>> = { 401: "authError", 403: "forbidden", 429: "rateLimitExceeded" }

/** Google's tokens and URL inspection on the loopback interface. A token contains the refresh token it was given for. */
export const googles = () => {
  const replies = new Map<string, Reply>()
  const asked = new Map<string, number>()
  const server = Bun.serve({
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      if (pathname === "/token") {
        const refreshToken = new URLSearchParams(await request.text()).get("refresh_token") ?? ""
        return Response.json({ access_token: `ya29.${refreshToken}`, expires_in: 3599, token_type: "Bearer" })
      }
      const token = (request.headers.get("authorization") ?? "").replace("Bearer ", "")
      const refreshToken = token.replace("ya29.", "")
      asked.set(refreshToken, (asked.get(refreshToken) ?? 0) + 1)
      const reply = replies.get(refreshToken)
      if (reply !== undefined) return reply(token)
      return Response.json({ inspectionResult: { indexStatusResult: { verdict: "PASS" } } })
    },
    hostname: "127.0.0.1",
    port: 0
  })
  return {
    /** Requests to the inspection with tokens of a refresh token. */
    asked: (refreshToken: string) => asked.get(refreshToken) ?? 0,
    refuse: (refreshToken: string, status: number) =>
      replies.set(refreshToken, () =>
        Response.json(
          { error: { code: status, errors: [{ reason: refusals[status] }], message: "Quota exceeded per day" } },
          { status }
        )
      ),
    reply: (refreshToken: string, reply: Reply) => replies.set(refreshToken, reply),
    settings: {
      FINDABLE_GOOGLE_TOKEN_URL: `${server.url.href}token`,
      FINDABLE_SEARCH_CONSOLE_URL: server.url.href
    },
    stop: () => server.stop(true)
  }
}
