/** Gathers pieces of already squeezed text so that no two spaces meet, up to a length. */
export class TextBuilder {
  private readonly pieces: Array<string> = []
  private length = 0
  private isSpaced = true

  constructor(private readonly max: number) {}

  get isFull(): boolean {
    return this.length >= this.max
  }

  /** Adds text whose runs of whitespace are single spaces. */
  add(squeezed: string): void {
    const piece = this.isSpaced && squeezed.startsWith(" ") ? squeezed.slice(1) : squeezed
    if (piece === "" || this.isFull) return
    this.pieces.push(piece)
    this.length += piece.length
    this.isSpaced = piece.endsWith(" ")
  }

  /** The end of a block: what follows is another word. */
  gap(): void {
    this.add(" ")
  }

  /** The text so far, without outer spaces and cut at the length. */
  toString(): string {
    return this.pieces.join("").slice(0, this.max).trimEnd()
  }
}
