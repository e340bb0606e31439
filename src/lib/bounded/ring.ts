/** A place in a ring of things in order, which it joins and leaves without a search. */
export class RingPlace {
  next: this = this;
  previous: this = this;

  joinBefore(next: this): void {
    this.next = next;
    this.previous = next.previous;
    this.previous.next = this;
    next.previous = this;
  }

  leave(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.next = this;
    this.previous = this;
  }
}
