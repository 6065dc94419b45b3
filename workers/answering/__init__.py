"""What responder and curator share: questions read, and answers made and sent.

``asking`` says what a client's message asks, ``served_epoch`` what an epoch in memory
answers to it, ``known`` what is free to say on the terms of the question, ``answers``
how that is put; ``sending`` sends it.
"""
