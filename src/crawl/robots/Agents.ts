/** A robot of a search engine or of an AI company, by which robots.txt is read besides the crawler itself. */
export interface Agent {
  /** As its operator writes it. */
  readonly name: string
  /** Product tokens of the groups that address it, in order: the first that has a group decides, and without any the default group (`*`) does. */
  readonly tokens: readonly [string, ...ReadonlyArray<string>]
  readonly kind: "search" | "ai"
}

/**
 * The one by which pages are called blocked or indexable. Of all groups only the most specific one that names it holds, and without such a group that of `*`
 * (Google, How Google interprets the robots.txt specification, Order of precedence for user agents).
 */
export const googlebot: Agent = { name: "Googlebot", tokens: ["Googlebot"], kind: "search" }

/**
 * Its own group replaces the default one whole; without a group of its own it obeys that of msnbot, its predecessor
 * (Bing Webmaster Blog, "Bing crawler: bingbot on the horizon", June 2010).
 */
export const bingbot: Agent = { name: "Bingbot", tokens: ["bingbot", "msnbot"], kind: "search" }

const ai = (name: string): Agent => ({ name, tokens: [name], kind: "ai" })

/** All agents, in the order of the report. Where an operator says nothing else, its own group or else the default one holds (RFC 9309 §2.2.1). */
export const agents: ReadonlyArray<Agent> = [
  googlebot,
  bingbot,
  // Training, and search in ChatGPT: two settings that do not touch each other (OpenAI, Overview of OpenAI crawlers).
  ai("GPTBot"),
  ai("OAI-SearchBot"),
  // Anthropic, "Does Anthropic crawl data from the web, and how can site owners block the crawler?".
  ai("ClaudeBot"),
  // Perplexity, Perplexity crawlers.
  ai("PerplexityBot"),
  // No crawler but a token: it says whether what Googlebot fetched may train Gemini (Google, List of Google's common crawlers).
  ai("Google-Extended"),
  // A token of the same kind for what Applebot fetched. That Applebot falls back to Googlebot's group is documented of Applebot alone (Apple, About Applebot).
  ai("Applebot-Extended"),
  // Common Crawl, CCBot.
  ai("CCBot")
]
