/** The most statements that a pool names. Beyond that, statements whose text keeps changing, such as inserts of many rows, go unnamed. */
const namedAtMost = 1000

/** The names of a pool's prepared statements: one for each text, the same on all connections, so that a name never stands for two texts. */
export interface StatementNames {
  /** The name of a text; none when 1,000 other texts have one. */
  readonly of: (text: string) => string | undefined
  /** Gives the text a new name at its next use. */
  readonly forget: (text: string) => void
}

export const statementNames = (): StatementNames => {
  const names = new Map<string, string>()
  let made = 0
  return {
    forget: (text) => {
      names.delete(text)
    },
    of: (text) => {
      const known = names.get(text)
      if (known !== undefined || names.size >= namedAtMost) return known
      const name = `findable_${made++}`
      names.set(text, name)
      return name
    }
  }
}
