/** A character without a width and without a meaning: the words look as they did, and what they stood for is not recognised. */
const mute = "\u200b"

/**
 * What GitHub, or a service that listens there, acts on in a title, a text or the message of a commit, up to the place at which it is interrupted:
 * mentions, issues and pull requests (which `Fixes` and its like close) by number and by address, commands to skip checks, and the characters by which Markdown
 * spells any of these otherwise, or hides text from those who review it.
 * https://docs.github.com/en/issues/tracking-your-work-with-issues/linking-a-pull-request-to-an-issue
 * https://docs.github.com/en/actions/managing-workflow-runs/skipping-workflow-runs
 */
const acts = [
  /@(?=[\w\\-])/g,
  /#(?=\w)/g,
  /\bGH\\?-(?=\d)/gi,
  /\/(?:issues|pull|pulls|discussions|commit|commits)\/(?=\w)/gi,
  /\[(?=\s*(?:skip|no|ci|actions)\b)/gi,
  /\*{3}(?=NO_CI)/g,
  /&(?=#?\w+;)/g,
  /<(?=[a-z!/?])/gi
] as const

/** A text in which GitHub finds nothing to act on; its words stay as they are. */
export const inert = (text: string): string =>
  acts.reduce((so, act) => so.replace(act, (found) => `${found}${mute}`), text)
