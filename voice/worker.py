"""The voice worker: the hibari voice behind the Wyoming protocol, on a Unix socket that it is given.

usage: python3 -I -S -B worker.py PACKAGES SOCKET_FD

PACKAGES is the private folder of the packages that it needs, SOCKET_FD a listening Unix socket. The process that started
it holds its standard input open: when that ends, for whatever reason, so does the worker. It opens no network sockets
(the starter forbids them) and writes no files.

Events: describe -> info, ping -> pong, synthesize {text} -> audio-start, audio-chunk..., audio-stop, or error.
"""
import asyncio
import socket
import sys

CHUNK_SAMPLES = 4800  # 0.2 s: small enough to start early, large enough to cost nothing
MAX_TEXT = 8 * 1024  # bytes of one request; the hub sends sentences


def load():
    from hibari import Hibari

    voice = Hibari(voice="heart", threads=1)  # the one voice that is in the package
    voice("Ready.")  # the first synthesis is slow: not when somebody waits for it
    return voice


def info(voice):
    from wyoming.info import Attribution, Info, TtsProgram, TtsVoice

    who = Attribution(name="hibari", url="hibari-tts")
    one = TtsVoice(name=voice.voice, attribution=who, installed=True, description="English, natural", version=None,
                   languages=["en"])
    return Info(tts=[TtsProgram(name="hibari", attribution=who, installed=True, description="hibari", version=None,
                                voices=[one])])


async def speak(voice, text, writer):
    import numpy
    from wyoming.audio import AudioChunk, AudioStart, AudioStop
    from wyoming.event import async_write_event

    form = {"rate": voice.sample_rate, "width": 2, "channels": 1}
    await async_write_event(AudioStart(**form).event(), writer)
    for sentence in voice.stream(text):
        pcm = (numpy.clip(sentence, -1.0, 1.0) * 32767.0).astype("<i2")
        for at in range(0, len(pcm), CHUNK_SAMPLES):
            chunk = AudioChunk(audio=pcm[at:at + CHUNK_SAMPLES].tobytes(), **form)
            await async_write_event(chunk.event(), writer)  # fails when nobody listens any more: cancelled
        await asyncio.sleep(0)  # others have their turn, and a cancel is seen, between sentences
    await async_write_event(AudioStop().event(), writer)


async def serve(voice, reader, writer):
    from wyoming.error import Error
    from wyoming.event import async_read_event, async_write_event
    from wyoming.ping import Pong

    try:
        while (event := await async_read_event(reader)) is not None:
            if event.type == "describe":
                await async_write_event(info(voice).event(), writer)
            elif event.type == "ping":
                await async_write_event(Pong().event(), writer)
            elif event.type == "synthesize":
                text = str(event.data.get("text", ""))
                if len(text.encode()) > MAX_TEXT:
                    await async_write_event(Error(text="the text is too long").event(), writer)
                    continue
                try:
                    await speak(voice, text, writer)
                except (ConnectionError, BrokenPipeError):
                    raise
                except Exception as problem:  # a text that the model cannot say must not end the worker
                    await async_write_event(Error(text=f"cannot say this: {problem}").event(), writer)
    except (ConnectionError, BrokenPipeError, asyncio.IncompleteReadError):
        pass  # the hub closed the connection: cancelled
    finally:
        writer.close()


async def main(voice, listener):
    loop = asyncio.get_running_loop()
    over = asyncio.Event()
    # Standard input says nothing, ever; its end says that the hub has gone.
    stdin = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin), sys.stdin)

    async def watch():
        while await stdin.read(1024):
            pass
        over.set()

    watcher = asyncio.create_task(watch())
    server = await asyncio.start_unix_server(lambda r, w: serve(voice, r, w), sock=listener)
    async with server:
        await over.wait()
    watcher.cancel()


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    model = load()
    asyncio.run(main(model, socket.socket(fileno=int(sys.argv[2]))))
