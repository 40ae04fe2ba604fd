/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/session_numbers.h"

static struct qs_session_numbers numbering;

void session_numbers_restart(void)
{
    numbering = (struct qs_session_numbers){0};
}

uint32_t session_numbers_count(void)
{
    return numbering.count;
}

static struct session_number *new_number(void)
{
    return wmem_new0(wmem_file_scope(), struct session_number);
}

/* What is asked for is not decided, or was decided before and is asked for again. */
static struct session_number *request_of(struct conversation_numbers *numbers)
{
    if (!numbers->request || numbers->request->number)
        numbers->request = new_number();
    return numbers->request;
}

/* It leads to the session `number`. */
static void settle_request(struct conversation_numbers *numbers, uint32_t number)
{
    if (numbers->request && !numbers->request->number)
        numbers->request->number = number;
    numbers->request = NULL;
}

static struct session_number *begin_session(struct conversation_numbers *numbers, uint32_t number)
{
    struct session_number *session = numbers->request;

    if (!session || session->number)
        session = new_number();
    session->number = number;
    numbers->request = NULL;
    return session;
}

const struct session_number *session_numbers_follow(struct conversation_numbers *numbers,
                                                    const struct qs_decoder *decoder)
{
    const uint32_t number = qs_number_session(&numbering, &numbers->current,
                                              decoder->session->connection, decoder->accepted);

    if (!number)
        numbers->session = NULL;
    else if (!numbers->session || numbers->session->number != number)
        numbers->session = begin_session(numbers, number);
    else if (decoder->accepted && decoder->direction == QS_C2S)
        settle_request(numbers, number); /* the client plays on: its request came twice */
    return decoder->handshake ? request_of(numbers) : numbers->session;
}

void session_numbers_announce(struct conversation_numbers *numbers,
                              struct conversation_numbers *announced)
{
    if (announced->session)
        settle_request(numbers, announced->session->number);
    else
        announced->request = request_of(numbers);
}
